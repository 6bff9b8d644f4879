package rowstest

import (
	"testing"

	"github.com/reviewctl/reviewctl/projections"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	Run(t, func(*testing.T) projections.Rows { return projections.NewMemory() })
}
