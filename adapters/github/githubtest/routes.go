package githubtest

import (
	"net/http"
	"strings"
)

// route is one call of the API. Its template is the path of GitHub's published
// OpenAPI description.
type route struct {
	method   string
	template string
	docs     string // the end of its documentation_url
	role     Role   // that the viewer needs
	needs    []Permission
	kept     bool // its answers are kept until the repository changes
	do       func(*call) *answer
}

const (
	repoPath    = "/repos/{owner}/{repo}"
	pullPath    = repoPath + "/pulls/{pull_number}"
	reviewsPath = pullPath + "/reviews"
	reviewPath  = reviewsPath + "/{review_id}"
	issueLabels = repoPath + "/issues/{issue_number}/labels"
	labelDocs   = "issues/labels#"
	reviewDocs  = "pulls/reviews#"
)

var (
	readPulls   = []Permission{ReadPulls}
	writePulls  = []Permission{WritePulls}
	readLabels  = []Permission{ReadIssues, ReadPulls}
	writeLabels = []Permission{WriteIssues, WritePulls}
)

// newRoutes is the table of calls.
func newRoutes() []route {
	return []route{
		{method: "GET", template: "/user", docs: "users/users#get-the-authenticated-user", do: (*call).getUser},
		{method: "GET", template: "/rate_limit", docs: "rate-limit/rate-limit#get-rate-limit-status-for-the-authenticated-user", do: (*call).getRateLimit},
		{method: "GET", template: repoPath, docs: "repos/repos#get-a-repository", role: RoleRead, kept: true, do: (*call).getRepo},
		{method: "GET", template: repoPath + "/pulls", docs: "pulls/pulls#list-pull-requests", role: RoleRead, needs: readPulls, kept: true, do: (*call).listPulls},
		{method: "GET", template: pullPath, docs: "pulls/pulls#get-a-pull-request", role: RoleRead, needs: readPulls, do: (*call).getPull},
		{method: "GET", template: pullPath + "/files", docs: "pulls/pulls#list-pull-requests-files", role: RoleRead, needs: readPulls, do: (*call).listFiles},
		{method: "GET", template: pullPath + "/comments", docs: "pulls/comments#list-review-comments-on-a-pull-request", role: RoleRead, needs: readPulls, do: (*call).listComments},
		{method: "GET", template: reviewsPath, docs: reviewDocs + "list-reviews-for-a-pull-request", role: RoleRead, needs: readPulls, do: (*call).listReviews},
		{method: "POST", template: reviewsPath, docs: reviewDocs + "create-a-review-for-a-pull-request", role: RoleRead, needs: writePulls, do: (*call).createReview},
		{method: "GET", template: reviewPath, docs: reviewDocs + "get-a-review-for-a-pull-request", role: RoleRead, needs: readPulls, do: (*call).getReview},
		{method: "PUT", template: reviewPath, docs: reviewDocs + "update-a-review-for-a-pull-request", role: RoleRead, needs: writePulls, do: (*call).updateReview},
		{method: "DELETE", template: reviewPath, docs: reviewDocs + "delete-a-pending-review-for-a-pull-request", role: RoleRead, needs: writePulls, do: (*call).deleteReview},
		{method: "POST", template: reviewPath + "/events", docs: reviewDocs + "submit-a-review-for-a-pull-request", role: RoleRead, needs: writePulls, do: (*call).submitReview},
		{method: "PUT", template: reviewPath + "/dismissals", docs: reviewDocs + "dismiss-a-review-for-a-pull-request", role: RoleWrite, needs: writePulls, do: (*call).dismissReview},
		{method: "GET", template: reviewPath + "/comments", docs: reviewDocs + "list-comments-for-a-pull-request-review", role: RoleRead, needs: readPulls, do: (*call).listReviewComments},
		{method: "GET", template: repoPath + "/labels", docs: labelDocs + "list-labels-for-a-repository", role: RoleRead, needs: readLabels, kept: true, do: (*call).listLabels},
		{method: "GET", template: issueLabels, docs: labelDocs + "list-labels-for-an-issue", role: RoleRead, needs: readLabels, do: (*call).listIssueLabels},
		{method: "POST", template: issueLabels, docs: labelDocs + "add-labels-to-an-issue", role: RoleTriage, needs: writeLabels, do: (*call).addLabels},
		{method: "DELETE", template: issueLabels + "/{name}", docs: labelDocs + "remove-a-label-from-an-issue", role: RoleTriage, needs: writeLabels, do: (*call).removeLabel},
	}
}

// match compares a request with the route's template.
func (rt *route) match(method string, segments []string) (map[string]string, bool) {
	if method != rt.method && (method != http.MethodHead || rt.method != http.MethodGet) {
		return nil, false
	}
	want := strings.Split(rt.template[1:], "/")
	if len(want) != len(segments) {
		return nil, false
	}
	values := map[string]string{}
	for i, w := range want {
		switch {
		case strings.HasPrefix(w, "{"):
			values[strings.Trim(w, "{}")] = segments[i]
		case w != segments[i]:
			return nil, false
		}
	}
	return values, true
}
