// Package gocheck lets go vet, and staticcheck where it is asked for, look at the
// packages of a change's Go files: static.go of the configuration. It is part of
// adapters/engine, and what static calls Deep.
//
// It is the one exception from "reviewers do not build" (hard-parts §8), so an
// operator has to ask for it. The tools are those on PATH; the tree that they read
// is the change's, and nothing in it runs: they have no network, no cgo, no
// modules but those that this machine has already, no toolchain but the local one,
// no configuration of the user or the tree, and a kernel sandbox (sandbox.Grant)
// in which they see the checkout, the toolchain and the module cache, and write to
// a build cache of ours and their TMPDIR. Without such a sandbox the lane fails.
//
//	change ─▶ modules ─▶ tools on the head ─▶ faults on added lines
//	                                              │ any?
//	                      tools on the old side ◀─┘──▶ those that it had are left out
//
// A module is a folder with a go.mod; the old side is a copy of the checkout with
// the patch taken back. Whatever could not be looked at has its reason in the
// coverage: no toolchain, no modules, a package that does not compile.
package gocheck
