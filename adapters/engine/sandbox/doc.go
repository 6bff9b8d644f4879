// Package sandbox holds the programs of exec engines. It is part of
// adapters/engine.
//
// A reviewer reads code and never builds or runs it. (hard-parts §8) What keeps
// it to that, the strongest that a machine has:
//
//	bubblewrap   the checkout is read-only, build tools are covered by shims, and
//	             its processes have a process namespace of their own
//	Landlock     the kernel refuses to execute build tools, and anything in the
//	             checkout or the TMPDIR
//	shims        refusing programs stand before the build tools in PATH
//
// The shims are there in every case. In a strict sandbox nothing but the TMPDIR
// can be written to; where only shims hold, that cannot be kept, and a strict
// engine is refused.
//
// A session with a Grant is the exception: Go's own tools, where an operator asks
// for static.go. It sees, runs and writes to what is named and nothing else, without
// network, by bubblewrap or by Landlock and seccomp; without either it is refused.
//
// A session runs under a supervisor: this same program, started again with a
// hidden sub-command. It is nice, confines itself, starts the engine, adopts the
// processes that the engine leaves behind, and kills all of them when the engine
// ends or when reviewctl is gone, which it sees by the end of a pipe.
//
//	reviewctl ──▶ reviewctl sandbox-exec SPEC -- [bwrap …] engine …
//	     └── pipe (file 3): closed = end everything
//
// A program that uses the package calls Main first thing in main, and a test of
// it in TestMain; without that, engines run unsupervised behind shims.
//
// Known limits: where no kernel sandbox holds, an engine can call a tool by its
// path; Landlock lets the loader ld.so run a file that it may read; an engine's
// own command is never denied, whatever it is.
package sandbox
