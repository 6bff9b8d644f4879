// Package github is the forge GitHub: what comes from there (poll), what goes
// there (publish, label), how it reads (render), how it is recognised (marker), and
// how requests and answers behave (api). githubtest is a GitHub of our own for
// tests. All parts are below this folder.
package github
