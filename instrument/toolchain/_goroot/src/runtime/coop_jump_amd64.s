#include "go_asm.h"
#include "go_tls.h"
#include "textflag.h"

// func coopJump(gp, next *g)
TEXT runtime·coopJump<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-16
	// Save gp's state, as mcall does: it goes on behind this call.
	MOVQ	SP, CX	// hide (SP) reads from vet
	MOVQ	0(CX), DX
	MOVQ	DX, (g_sched+gobuf_pc)(AX)
	ADDQ	$8, CX
	MOVQ	CX, (g_sched+gobuf_sp)(AX)
	MOVQ	BP, (g_sched+gobuf_bp)(AX)

	// Become next. A signal handler finds a g with an m all the time.
	get_tls(CX)
	MOVQ	BX, g(CX)
	MOVQ	BX, R14
	MOVQ	$0, g_m(AX)

	// Restore next's state, as gogo does, but return to it: it has called, too.
	MOVQ	(g_sched+gobuf_sp)(BX), CX
	MOVQ	(g_sched+gobuf_pc)(BX), SI
	SUBQ	$8, CX
	MOVQ	SI, 0(CX)
	MOVQ	CX, SP
	MOVQ	(g_sched+gobuf_ctxt)(BX), DX
	MOVQ	(g_sched+gobuf_bp)(BX), BP
	MOVQ	$0, (g_sched+gobuf_sp)(BX)	// clear to help garbage collector
	MOVQ	$0, (g_sched+gobuf_ctxt)(BX)
	MOVQ	$0, (g_sched+gobuf_bp)(BX)
	RET
