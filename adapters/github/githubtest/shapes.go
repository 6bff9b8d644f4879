package githubtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// stamp is a time as GitHub writes it.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// stampOrNull is null for no time.
func stampOrNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return stamp(t)
}

// repoURLs are the URLs of a repository below its own.
var repoURLs = map[string]string{
	"archive_url": "/{archive_format}{/ref}", "assignees_url": "/assignees{/user}", "blobs_url": "/git/blobs{/sha}",
	"branches_url": "/branches{/branch}", "collaborators_url": "/collaborators{/collaborator}", "comments_url": "/comments{/number}",
	"commits_url": "/commits{/sha}", "compare_url": "/compare/{base}...{head}", "contents_url": "/contents/{+path}",
	"contributors_url": "/contributors", "deployments_url": "/deployments", "downloads_url": "/downloads", "events_url": "/events",
	"forks_url": "/forks", "git_commits_url": "/git/commits{/sha}", "git_refs_url": "/git/refs{/sha}", "git_tags_url": "/git/tags{/sha}",
	"hooks_url": "/hooks", "issue_comment_url": "/issues/comments{/number}", "issue_events_url": "/issues/events{/number}",
	"issues_url": "/issues{/number}", "keys_url": "/keys{/key_id}", "labels_url": "/labels{/name}", "languages_url": "/languages",
	"merges_url": "/merges", "milestones_url": "/milestones{/number}", "notifications_url": "/notifications{?since,all,participating}",
	"pulls_url": "/pulls{/number}", "releases_url": "/releases{/id}", "stargazers_url": "/stargazers", "statuses_url": "/statuses/{sha}",
	"subscribers_url": "/subscribers", "subscription_url": "/subscription", "tags_url": "/tags", "teams_url": "/teams",
	"trees_url": "/git/trees{/sha}", "url": "",
}

func (r *Repo) apiURL(o origin) string { return o.api + "/repos/" + r.owner + "/" + r.name }

// shape is GitHub's repository, as it stands in other things.
func (r *Repo) shape(o origin) map[string]any {
	v := map[string]any{}
	for name, suffix := range repoURLs {
		v[name] = r.apiURL(o) + suffix
	}
	web := o.web + "/" + r.full()
	open := 0
	for _, p := range r.pulls {
		if !p.cur.closed {
			open++
		}
	}
	for name, value := range map[string]any{
		"id": r.ID, "node_id": nodeID("R", r.ID), "name": r.name, "full_name": r.full(), "owner": o.simpleUser(r.s.user(r.owner)),
		"private": r.private, "visibility": map[bool]string{true: "private", false: "public"}[r.private], "html_url": web,
		"description": nil, "homepage": nil, "language": nil, "license": nil, "mirror_url": nil, "topics": []string{},
		"fork": r.parent != nil, "git_url": "git:" + strings.TrimPrefix(strings.TrimPrefix(web, "https:"), "http:") + ".git",
		"ssh_url": "git@github.com:" + r.full() + ".git", "clone_url": o.git + "/" + r.full() + ".git", "svn_url": web,
		"forks_count": 0, "forks": 0, "stargazers_count": 0, "watchers_count": 0, "watchers": 0, "size": 1,
		"default_branch": defaultBranch, "open_issues_count": open, "open_issues": open, "has_issues": true, "has_projects": true,
		"has_wiki": true, "has_pages": false, "has_downloads": true, "has_discussions": false, "is_template": false,
		"archived": r.archived, "disabled": r.disabled, "allow_forking": true, "web_commit_signoff_required": false,
		"pushed_at": stamp(r.pushed), "created_at": stamp(r.created), "updated_at": stamp(r.pushed),
	} {
		v[name] = value
	}
	return v
}

// getRepo is GET /repos/{owner}/{repo}: the repository and what its viewer may do.
func (c *call) getRepo() *answer {
	v := c.repo.shape(c.origin)
	role := RoleRead
	if c.token != nil {
		role = c.repo.role(c.token.Login)
	}
	v["permissions"] = map[string]bool{
		"pull": role >= RoleRead, "triage": role >= RoleTriage, "push": role >= RoleWrite, "maintain": role >= RoleMaintain, "admin": role >= RoleAdmin,
	}
	v["subscribers_count"], v["network_count"], v["temp_clone_token"] = 0, 0, nil
	if c.repo.parent != nil {
		v["parent"], v["source"] = c.repo.parent.shape(c.origin), c.repo.parent.shape(c.origin)
	}
	return newAnswer(http.StatusOK, v)
}

func (c *call) getUser() *answer { return newAnswer(http.StatusOK, c.origin.viewer(c.viewer)) }

func (c *call) labelShape(l *label) any {
	return map[string]any{
		"id": l.id, "node_id": nodeID("LA", l.id), "url": c.repo.apiURL(c.origin) + "/labels/" + url.PathEscape(l.name),
		"name": l.name, "description": "", "color": l.color, "default": false,
	}
}

// association is what somebody is to the repository.
func (r *Repo) association(u *user) string {
	switch {
	case u == nil:
		return "NONE"
	case strings.EqualFold(u.login, r.owner):
		return "OWNER"
	case r.role(u.login) >= RoleTriage:
		return "COLLABORATOR"
	}
	return "NONE"
}

// pullShape is GitHub's pull-request-simple: what lists have. The repositories are
// written once a list. (raw)
func (c *call) pullShape(p *PullRequest, st *state, raw map[*Repo]json.RawMessage) map[string]any {
	o, r := c.origin, p.repo
	api, web := fmt.Sprintf("%s/pulls/%d", r.apiURL(o), p.Number), fmt.Sprintf("%s/%s/pull/%d", o.web, r.full(), p.Number)
	issue := fmt.Sprintf("%s/issues/%d", r.apiURL(o), p.Number)
	labels := []any{}
	for _, l := range st.labels {
		labels = append(labels, c.labelShape(l))
	}
	statuses := r.apiURL(o) + "/statuses/" + string(st.head)
	link := func(href string) any { return map[string]any{"href": href} }
	var mergeCommit any
	if st.mergeCommit != "" {
		mergeCommit = st.mergeCommit
	}
	v := map[string]any{
		"id": p.ID, "node_id": nodeID("PR", p.ID), "number": p.Number, "url": api, "html_url": web, "diff_url": web + ".diff",
		"patch_url": web + ".patch", "issue_url": issue, "commits_url": api + "/commits", "review_comments_url": api + "/comments",
		"review_comment_url": r.apiURL(o) + "/pulls/comments{/number}", "comments_url": issue + "/comments", "statuses_url": statuses,
		"state": map[bool]string{true: "closed", false: "open"}[st.closed], "locked": st.locked, "title": st.title,
		"user": o.simpleUser(p.author), "body": textOrNull(st.body), "labels": labels, "milestone": nil, "draft": st.draft,
		"created_at": stamp(st.created), "updated_at": stamp(st.updated), "closed_at": nil, "merged_at": nil,
		"merge_commit_sha": mergeCommit, "assignee": nil, "assignees": []any{}, "requested_reviewers": []any{}, "requested_teams": []any{},
		"author_association": r.association(p.author), "auto_merge": nil, "active_lock_reason": nil,
		"head": c.end(st.headRepo, st.headRef, st.head, raw), "base": c.end(r, st.baseRef, st.base, raw),
		"_links": map[string]any{
			"self": link(api), "html": link(web), "issue": link(issue), "comments": link(issue + "/comments"),
			"review_comments": link(api + "/comments"), "review_comment": link(r.apiURL(o) + "/pulls/comments{/number}"),
			"commits": link(api + "/commits"), "statuses": link(statuses),
		},
	}
	if st.closed {
		v["closed_at"] = stampOrNull(st.closedAt)
	}
	if st.merged {
		v["merged_at"] = stampOrNull(st.closedAt)
	}
	return v
}

// end is one end of a pull request. That of a deleted fork has no repository and no
// user. (case G31)
func (c *call) end(r *Repo, ref string, at any, raw map[*Repo]json.RawMessage) any {
	if r == nil || r.deleted {
		c.odd = "null for a deleted fork" // that it may be null is not described
		return map[string]any{"label": "unknown repository", "ref": ref, "sha": at, "user": nil, "repo": nil}
	}
	if raw[r] == nil {
		text, err := json.Marshal(r.shape(c.origin))
		if err != nil {
			panic(fmt.Sprintf("githubtest: a repository cannot be written as JSON: %v", err)) // our own map: a bug
		}
		raw[r] = text
	}
	return map[string]any{"label": r.owner + ":" + ref, "ref": ref, "sha": at, "user": c.origin.simpleUser(c.s.user(r.owner)), "repo": raw[r]}
}

func textOrNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// whole is GitHub's pull-request: what a single one has besides.
func (c *call) whole(p *PullRequest, st *state) map[string]any {
	v := c.pullShape(p, st, map[*Repo]json.RawMessage{})
	changes := p.changes(st.head)
	commits, err := p.repo.store.commits(p.repo.branches[st.baseRef], st.head)
	if err != nil {
		c.s.t.Errorf("githubtest: #%d: %v", p.Number, err)
	}
	var additions, deletions, comments int
	for _, ch := range changes {
		additions, deletions = additions+ch.additions, deletions+ch.deletions
	}
	for _, r := range st.visible(c.viewer) {
		comments += len(r.Comments)
	}
	v["merged"], v["merged_by"], v["comments"], v["review_comments"] = st.merged, nil, 0, comments
	v["maintainer_can_modify"], v["commits"], v["additions"], v["deletions"] = false, len(commits), additions, deletions
	v["changed_files"], v["rebaseable"] = len(changes), nil
	v["mergeable"], v["mergeable_state"] = nil, "unknown" // case G55
	if st.looked && !st.closed {
		v["mergeable"], v["mergeable_state"], v["rebaseable"] = true, "clean", true
	}
	if st.merged {
		v["merged_by"] = c.origin.simpleUser(c.s.user(p.repo.owner))
	}
	return v
}

// byQuery are the pull requests that a list asks for, in its order.
func (c *call) byQuery() []*PullRequest {
	q := c.r.URL.Query()
	var list []*PullRequest
	for _, p := range c.repo.pulls {
		st := c.state(p)
		switch {
		case st == nil: // not seen yet
		case q.Get("state") != "all" && st.closed != (q.Get("state") == "closed"):
		case q.Get("base") != "" && q.Get("base") != st.baseRef:
		case q.Get("head") != "" && (st.headRepo == nil || q.Get("head") != st.headRepo.owner+":"+st.headRef):
		default:
			list = append(list, p)
		}
	}
	byUpdate := q.Get("sort") == "updated"
	descending := q.Get("direction") == "desc" || q.Get("direction") == "" && (q.Get("sort") == "" || q.Get("sort") == "created")
	slices.SortStableFunc(list, func(a, b *PullRequest) int {
		order := a.Number - b.Number
		if byUpdate {
			if by := c.state(a).updated.Compare(c.state(b).updated); by != 0 {
				order = by
			}
		}
		if descending {
			return -order
		}
		return order
	})
	return list
}
