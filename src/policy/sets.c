/* SPDX-License-Identifier: MIT */
#include "policy/sets.h"

#include <stddef.h>

const struct system_entry SYSTEM_SET[] = {
	{ "/usr", PATH_ROX, false },
	{ "/bin", PATH_ROX, false },
	{ "/sbin", PATH_ROX, false },
	{ "/lib", PATH_ROX, false },
	{ "/lib32", PATH_ROX, false },
	{ "/lib64", PATH_ROX, false },
	{ "/libx32", PATH_ROX, false },
	{ "/opt", PATH_ROX, false },
	{ "/nix", PATH_ROX, false },
	{ "/snap", PATH_ROX, false },
	{ "/etc", PATH_RO, false },
	{ "/etc/shadow*", PATH_DENY, true },
	{ "/etc/gshadow*", PATH_DENY, true },
	{ "/etc/sudoers*", PATH_DENY, true },
	{ "/etc/ssh/*key", PATH_DENY, true },
	{ "/etc/pinfold", PATH_DENY, false },
	{ "/etc/ssl/private", PATH_DENY, false },
	{ NULL, PATH_DENY, false },
};

const char *const SENSITIVE_NAMES[] = {
	".ssh",
	".gnupg",
	".aws",
	".azure",
	".config/gcloud",
	".kube",
	".docker",
	".netrc",
	".npmrc",
	".pypirc",
	".git-credentials",
	".config/gh",
	".openclaw",
	".password-store",
	".local/share/keyrings",
	/* Browser profiles: cookies and saved passwords. */
	".mozilla",
	".thunderbird",
	".librewolf",
	".waterfox",
	".config/google-chrome",
	".config/google-chrome-beta",
	".config/google-chrome-unstable",
	".config/chromium",
	".config/BraveSoftware",
	".config/microsoft-edge",
	".config/vivaldi",
	".config/opera",
	".var/app/org.mozilla.firefox",
	".var/app/com.google.Chrome",
	".var/app/org.chromium.Chromium",
	".var/app/com.brave.Browser",
	"snap/firefox",
	"snap/chromium",
	NULL,
};

static const char *const ENV_EXAMPLES[] = { ".env.example", ".env.sample", ".env.template", NULL };

const struct sensitive_pattern SENSITIVE_PATTERNS[] = {
	{ "**/.env", NULL },
	{ "**/.env.*", ENV_EXAMPLES },
	{ NULL, NULL },
};
