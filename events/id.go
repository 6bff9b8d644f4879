package events

import (
	"crypto/sha256"
	"encoding/hex"
)

// Identifiers are distinct types so that one cannot be passed for another.
// None of them is ever parsed, except a StreamName for its category.
type (
	// EventID is a UUID in its 36-character text form.
	EventID string
	// RunID names one judgement of one head: 16 hex digits.
	RunID string
	// LaneID names one engine session within its run, for example "static".
	LaneID string
	// BootID names one start of one process; OwnerAny stands for "the daemon".
	BootID string
	// Commit is a full object id: 40 hex digits (SHA-1) or 64 (SHA-256).
	Commit string
	// RepoName is what people call a repository: "OWNER/REPO", or "local/NAME".
	RepoName string
	// EngineName is an engine's name in the configuration.
	EngineName string
	// PoolName is a model family, the part of a model's name before its first "-".
	PoolName string
	// AccountName is who pays.
	AccountName string
	// Fingerprint is the 12-hex finding_hash of semantics 13.1.
	Fingerprint string
	// Digest is a lower-case hex SHA-256.
	Digest string
	// Draw is 32 hex digits of randomness that came in with a command.
	Draw string
)

// DigestOf is the digest of a content.
func DigestOf(content []byte) Digest {
	sum := sha256.Sum256(content)
	return Digest(hex.EncodeToString(sum[:]))
}

// OwnerAny is the owner of work that belongs to whichever daemon is running.
const OwnerAny BootID = "any"

// AccountUnmetered pays for engines that no account was configured for: it
// always admits and still records.
const AccountUnmetered AccountName = "unmetered"
