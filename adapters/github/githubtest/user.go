package githubtest

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// Ghost is the author whose account was deleted: GitHub says null.
const Ghost = "\x00ghost"

// user is an account.
type user struct {
	id    int64
	login string
}

func (u *user) bot() bool { return strings.HasSuffix(u.login, "[bot]") }

// user returns the account of a login, which is made when it is first named.
// Logins are the same in any case of their letters.
func (s *Server) user(login string) *user {
	if login == Ghost || login == "" {
		return nil
	}
	key := strings.ToLower(login)
	if s.users[key] == nil {
		s.users[key] = &user{id: s.next("user"), login: login}
	}
	return s.users[key]
}

// UserID is GitHub's number of an account.
func (s *Server) UserID(login string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.user(login).id
}

// nodeID is an id of the kind that GraphQL uses.
func nodeID(kind string, id int64) string {
	return kind + "_" + base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d", id))
}

// simpleUser is GitHub's simple-user; nil where there is none any more.
func (o origin) simpleUser(u *user) any {
	if u == nil {
		return nil
	}
	api, kind := o.api+"/users/"+u.login, "User"
	if u.bot() {
		kind = "Bot"
	}
	return map[string]any{
		"login": u.login, "id": u.id, "node_id": nodeID("U", u.id), "gravatar_id": "", "type": kind, "site_admin": false,
		"avatar_url": fmt.Sprintf("https://avatars.githubusercontent.com/u/%d?v=4", u.id), "url": api,
		"html_url": o.web + "/" + u.login, "user_view_type": "public",
		"followers_url": api + "/followers", "following_url": api + "/following{/other_user}",
		"gists_url": api + "/gists{/gist_id}", "starred_url": api + "/starred{/owner}{/repo}",
		"subscriptions_url": api + "/subscriptions", "organizations_url": api + "/orgs", "repos_url": api + "/repos",
		"events_url": api + "/events{/privacy}", "received_events_url": api + "/received_events",
	}
}

// viewer is GitHub's public-user: the simple one and more.
func (o origin) viewer(u *user) any {
	v := o.simpleUser(u).(map[string]any)
	for _, name := range []string{"name", "company", "location", "email", "hireable", "bio", "twitter_username"} {
		v[name] = nil
	}
	for _, name := range []string{"public_repos", "public_gists", "followers", "following"} {
		v[name] = 0
	}
	v["blog"] = ""
	v["created_at"], v["updated_at"] = "2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z"
	return v
}
