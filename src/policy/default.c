/* SPDX-License-Identifier: MIT */
#include "policy/default.h"

#include <errno.h>
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "policy/net_entry.h"
#include "policy/parse.h"
#include "policy/parse_fs.h"
#include "policy/path_text.h"
#include "policy/read.h"

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"

int policy_init(struct policy *p, const char *source, const char *workspace)
{
	if (!workspace || workspace[0] != '/')
		return -EINVAL;
	p->workspace_access = WORKSPACE_RW;
	p->fs.system = true;
	p->fs.tmp = TMP_PRIVATE;
	p->fs.sensitive = true;
	p->fs.protect_git = true;
	p->net.deny_errno = EPERM;
	p->net.dns.min_ttl_s = 60;
	p->net.dns.max_addresses = 4096;
	p->net.dns.new_names_per_minute = 6000;
	p->limits.pids = 512;
	p->source = strdup(source);
	p->identity.path = strdup(DEFAULT_PATH);
	if (!p->source || !p->identity.path)
		return -ENOMEM;
	return path_clean("/", workspace, &p->workspace);
}

int policy_default(const char *workspace, const struct policy_context *ctx, struct policy *ret,
		   struct pinfold_error *e)
{
	struct policy p = { 0 };
	int rc = policy_init(&p, POLICY_BUILT_IN, workspace ? workspace : ctx->cwd);

	if (rc == 0 && strcmp(p.workspace, "/") == 0)
		rc = -EINVAL;
	if (rc < 0) {
		policy_done(&p);
		return err_set(e, rc,
			       rc == -ENOMEM
				   ? "out of memory"
				   : "'%.120s' can't be a workspace: a directory below it "
				     "is wanted; cd into a project",
			       workspace ? workspace : ctx->cwd);
	}
	*ret = p;
	return 0;
}

static void identity_free(struct identity_policy *id)
{
	for (size_t i = 0; i < id->n_set_env; i++) {
		free(id->set_env[i].name);
		free(id->set_env[i].value);
	}
	free(id->set_env);
	free(id->home);
	free(id->path);
	list_done(&id->keep_env);
}

static void net_free(struct net_policy *net)
{
	for (size_t i = 0; i < net->allow.n; i++)
		net_rule_done(&net->allow.rule[i]);
	for (size_t i = 0; i < net->deny.n; i++)
		net_rule_done(&net->deny.rule[i]);
	for (size_t i = 0; i < net->n_inbound; i++)
		inbound_rule_done(&net->inbound[i]);
	free(net->allow.rule);
	free(net->deny.rule);
	free(net->inbound);
	free(net->dns.upstream);
}

void policy_done(struct policy *p)
{
	for (size_t i = 0; i < p->fs.n; i++)
		path_rule_done(&p->fs.rule[i]);
	for (size_t i = 0; i < p->n_unix_allow; i++)
		unix_rule_done(&p->unix_allow[i]);
	free(p->fs.rule);
	free(p->unix_allow);
	net_free(&p->net);
	identity_free(&p->identity);
	list_done(&p->seccomp.families);
	list_done(&p->audit.quiet);
	free(p->source);
	free(p->workspace);
	free(p->lane);
	free(p->audit.path);
	*p = (struct policy){ 0 };
}
