// Package enginetest is the suite that every actors.Engine passes: a session
// answers exactly once, with findings in bounded pieces and exactly one end as
// the last command, whether it completes, fails, is stopped, runs into its
// deadline or is still at work when the engine closes; and it leaves nothing.
//
// An engine's test hands over a Bundle; the suite brings the clock.
package enginetest
