/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "base/err.h"
#include "session/exec.h"

int exec_approve(struct exec *x, struct pinfold_error *e)
{
	(void)e;
	if (!agents_config_approvals(x->args->agents->config) && x->decision.place.in_pen &&
	    !x->elevated)
		return 0;
	x->approval.required = true;
	x->approval.result = "denied";
	return err_set(e, -EKEYREJECTED, "refused: the command needs approval");
}
