// Package schemas is the contract of everything that reviewctl writes or reads
// across its border, as files that other programs can read too:
//
//	events/*.json        the payload of each event, by stored name
//	cli/*.json           what each verb prints with --json
//	config.schema.json   reviewctl.yaml
//	policy.schema.json   the review policy
//	chain.md             how events are hashed, with a golden vector
//	engine/              what engines get and answer
//	sql/                 the tables of the embedded stores
//
// The package holds no code but the embedding. Tests beside the Go structs hold
// these files and the structs against each other.
package schemas

import "embed"

// JSON holds the JSON Schemas (2020-12) of events, answers, configuration and
// policy.
//
//go:embed config.schema.json policy.schema.json events/*.json cli/*.json
var JSON embed.FS

// ChainRecipe is chain.md.
//
//go:embed chain.md
var ChainRecipe string
