package answer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/events"
)

// The statuses of an earlier finding. (semantics 12.5)
const statusStillValid = "STILL_VALID"

var statuses = []string{statusStillValid, "FIXED", "OUTDATED", "INTENTIONALLY_DEFERRED", "WITHDRAWN"}

// Row is what an engine says of one earlier finding.
type Row struct {
	Finding events.Fingerprint
	Status  string
}

// priors are the earlier findings that an engine was told, by their hashes.
type priors struct {
	all  []session.Prior
	rows []Row
	open map[events.Fingerprint]bool // carried by a finding
}

// find completes an abbreviated hash. One that two findings share is never guessed.
// (semantics 12.6, case E28)
func (p *priors) find(f fields, key, word string) (*session.Prior, bool) {
	low := strings.ToLower(word)
	var found []*session.Prior
	for i := range p.all {
		hash := string(p.all[i].Fingerprint)
		if low == hash {
			return &p.all[i], true
		}
		if len(low) >= headPrefixMin && (strings.HasPrefix(hash, low) || strings.HasPrefix(low, hash)) {
			found = append(found, &p.all[i])
		}
	}
	switch {
	case len(found) == 1:
		f.r.note("%s%s %q completed", f.name, key, Clip(word, 40))
		return found[0], true
	case len(found) > 1:
		f.r.fault("%s%s %q is the beginning of more than one prior finding", f.name, key, Clip(word, 40))
	default:
		f.r.fault("%s%s %q is not a prior finding", f.name, key, Clip(word, 40))
	}
	return nil, false
}

// carry makes a finding the earlier one whose hash it bears: its title and its
// category are echoes.
func (p *priors) carry(f fields, got *events.Finding) {
	word := f.text("finding_hash")
	if word == "" {
		return
	}
	if len(p.all) == 0 {
		f.r.fault("%sfinding_hash must be absent: no prior findings were given", f.name)
		return
	}
	prior, ok := p.find(f, "finding_hash", word)
	if !ok {
		return
	}
	if p.open[prior.Fingerprint] {
		f.r.fault("%sfinding_hash %s is carried twice", f.name, prior.Fingerprint)
		return
	}
	if p.open == nil {
		p.open = map[events.Fingerprint]bool{}
	}
	p.open[prior.Fingerprint] = true
	if got.Title != prior.Title {
		f.r.note("%stitle set to that of prior finding %s", f.name, prior.Fingerprint)
	}
	got.Title, got.Category = prior.Title, prior.Category
}

// reconcile reads the rows. An engine may leave all of them out; where it has one, it
// has one for each earlier finding. (semantics 12.5, case E28)
func (p *priors) reconcile(top fields) {
	const key = "prior_finding_reconciliation"
	items, _ := top.list(key)
	if len(items) > 0 && len(p.all) == 0 {
		top.r.fault("%s must be empty: no prior findings were given", key)
		return
	}
	seen := map[events.Fingerprint]bool{}
	for i, item := range items {
		row := fields{r: top.r, name: fmt.Sprintf("%s[%d].", key, i), set: item}
		name := "finding_hash"
		if row.raw(name) == nil {
			name = "hash"
		}
		word := row.text("status")
		status := strings.ToUpper(strings.NewReplacer(" ", "_", "-", "_").Replace(word))
		if !slices.Contains(statuses, status) {
			top.r.fault("%sstatus %q must be one of %s", row.name, Clip(word, 40), strings.Join(statuses, ", "))
		}
		prior, ok := p.find(row, name, row.text(name))
		switch {
		case !ok:
		case seen[prior.Fingerprint]:
			top.r.fault("%s%s %s has a row already", row.name, name, prior.Fingerprint)
		default:
			seen[prior.Fingerprint] = true
			p.rows = append(p.rows, Row{Finding: prior.Fingerprint, Status: status})
		}
	}
	if len(items) > 0 {
		p.agree(top, seen)
	}
}

// agree holds the rows against the findings that bear a hash.
func (p *priors) agree(top fields, seen map[events.Fingerprint]bool) {
	for i := range p.all {
		if hash := p.all[i].Fingerprint; !seen[hash] {
			top.r.fault("prior finding %s has no row", hash)
		}
	}
	for _, row := range p.rows {
		switch valid := row.Status == statusStillValid; {
		case valid && !p.open[row.Finding]:
			top.r.fault("prior finding %s is %s, and no finding has it as finding_hash", row.Finding, statusStillValid)
		case !valid && p.open[row.Finding]:
			top.r.fault("prior finding %s is %s, and a finding has it as finding_hash", row.Finding, row.Status)
		}
	}
}
