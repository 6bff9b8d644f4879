// Package catalogue lists the views that are kept.
package catalogue

import (
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/deadlines"
	"github.com/reviewctl/reviewctl/projections/findings"
	"github.com/reviewctl/reviewctl/projections/history"
	"github.com/reviewctl/reviewctl/projections/label"
	"github.com/reviewctl/reviewctl/projections/ledger"
	"github.com/reviewctl/reviewctl/projections/status"
)

// All returns every view. Those that others wait for come first.
func All() []projections.View {
	return []projections.View{
		deadlines.View(), status.View(), findings.View(), history.View(), label.View(), ledger.View(),
	}
}
