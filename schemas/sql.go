package schemas

import "embed"

// SQL holds the tables of the embedded stores: sql/log.sql is the log's, the
// others belong to the read models. Each column has its comment there.
//
//go:embed sql/*.sql
var SQL embed.FS
