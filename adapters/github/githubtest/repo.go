package githubtest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Role is what an account may do in a repository.
type Role int

// The roles, each with the rights of those before it.
const (
	RoleNone Role = iota
	RoleRead
	RoleTriage
	RoleWrite
	RoleMaintain
	RoleAdmin
)

// Repo is a repository. ID never changes; its name does.
type Repo struct {
	ID int64

	s        *Server
	owner    string
	name     string
	store    store
	parent   *Repo // of a fork
	private  bool
	archived bool
	disabled bool
	deleted  bool
	roles    map[string]Role // by lower-case login
	branches map[string]events.Commit
	labels   []*label
	pulls    []*PullRequest // by number
	serial   int            // the last number of an issue or pull request
	created  time.Time
	pushed   time.Time
	version  int64 // changes with everything that a request may see
}

type label struct {
	id    int64
	name  string
	color string
}

// labelNameMax is GitHub's limit of a label's name. (github.md §1, "Labels")
const labelNameMax = 50

// defaultBranch is the branch that every repository begins with.
const defaultBranch = "main"

// Repo makes a repository OWNER/REPO with one commit on main.
func (s *Server) Repo(full string) *Repo {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.newRepo(full)
	if s.params.NoGit {
		r.store = newMemoryStore(full)
	} else {
		r.store = newGitStore(s)
	}
	r.commit(defaultBranch, nil, Files{"README.md": "# " + r.name + "\n"})
	return r
}

func (s *Server) newRepo(full string) *Repo {
	s.t.Helper()
	owner, name, ok := strings.Cut(full, "/")
	if other := s.repos[s.names[strings.ToLower(full)]]; !ok || other != nil && !other.deleted && strings.EqualFold(other.full(), full) {
		s.t.Fatalf("githubtest: cannot make the repository %q: its name is taken or is not OWNER/REPO", full)
	}
	s.user(owner)
	r := &Repo{
		ID: s.next("repo"), s: s, owner: owner, name: name, roles: map[string]Role{}, branches: map[string]events.Commit{},
		created: s.now(), pushed: s.now(),
	}
	s.repos[r.ID], s.names[strings.ToLower(full)] = r, r.ID
	return r
}

func (r *Repo) full() string { return r.owner + "/" + r.name }

// Name is what the repository is called now.
func (r *Repo) Name() events.RepoName {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	return events.RepoName(r.full())
}

// CloneURL is where git fetches it over HTTP. Git sends the token as the password
// of x-access-token.
func (r *Repo) CloneURL() string { return r.s.URL() + "/" + string(r.Name()) + ".git" }

// role is what a login may do: what Access said, else everything for the owner,
// write for whoever has a token, and read for the others.
func (r *Repo) role(login string) Role {
	key := strings.ToLower(login)
	if role, told := r.roles[key]; told {
		return role
	}
	if key == strings.ToLower(r.owner) {
		return RoleAdmin
	}
	for _, t := range r.s.tokens {
		if strings.EqualFold(t.Login, login) {
			return RoleWrite
		}
	}
	return RoleRead
}

// change changes the repository as requests see it.
func (r *Repo) change(f func()) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	f()
	r.version++
}

// Access sets the role of a login.
func (r *Repo) Access(login string, role Role) {
	r.change(func() { r.roles[strings.ToLower(login)] = role })
}

// Private hides the repository from whoever has no role in it.
func (r *Repo) Private(private bool) { r.change(func() { r.private = private }) }

// Archive makes it read-only.
func (r *Repo) Archive(archived bool) { r.change(func() { r.archived = archived }) }

// Disable is what GitHub's staff does to a repository.
func (r *Repo) Disable(disabled bool) { r.change(func() { r.disabled = disabled }) }

// Delete takes it away: 404 from now on.
func (r *Repo) Delete() { r.change(func() { r.deleted = true }) }

// Rename gives it another name, with or without another owner. The old name
// redirects, until another repository takes it.
func (r *Repo) Rename(full string) {
	r.s.t.Helper()
	r.change(func() {
		owner, name, ok := strings.Cut(full, "/")
		if !ok {
			owner, name = r.owner, full
		}
		r.s.user(owner)
		r.owner, r.name = owner, name
		r.s.names[strings.ToLower(r.full())] = r.ID
	})
}

// Labels makes labels that are not there yet.
func (r *Repo) Labels(names ...string) {
	r.change(func() {
		for _, name := range names {
			r.label(name)
		}
	})
}

// DropLabel takes a label from the repository and from all that have it.
func (r *Repo) DropLabel(name string) {
	r.change(func() {
		r.labels = slices.DeleteFunc(r.labels, func(l *label) bool { return strings.EqualFold(l.name, name) })
		for _, p := range r.pulls {
			p.change(func(st *state) {
				st.labels = slices.DeleteFunc(st.labels, func(l *label) bool { return strings.EqualFold(l.name, name) })
			})
		}
	})
}

// findLabel looks for a label in any case of its letters. (case G41)
func (r *Repo) findLabel(name string) *label {
	for _, l := range r.labels {
		if strings.EqualFold(l.name, name) {
			return l
		}
	}
	return nil
}

// label is the label of a name, made where there is none.
func (r *Repo) label(name string) *label {
	l := r.findLabel(name)
	if l == nil {
		l = &label{id: r.s.next("label"), name: name, color: "ededed"}
		r.labels = append(r.labels, l)
	}
	return l
}

// ref is the full name of a branch in the store; a fork has a namespace of its own.
func (r *Repo) ref(branch string) string {
	if r.parent != nil {
		return fmt.Sprintf("refs/namespaces/fork%d/refs/heads/%s", r.ID, branch)
	}
	return "refs/heads/" + branch
}

// Find is the repository that is called so, now or once; nil = none.
func (s *Server) Find(full string) *Repo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.repos[s.names[strings.ToLower(full)]]
}
