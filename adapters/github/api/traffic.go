package api

// traffic is what a request is for: what gives way to what.
type traffic int

// From the first to give way to the last.
const (
	trafficPoll   traffic = iota // looking for news: it can be later
	trafficLook                  // reading what publishing needs
	trafficLabel                 // writing labels
	trafficReview                // writing reviews
)

func (t traffic) writes() bool { return t >= trafficLabel }

// side is 1 for writing, 0 for reading.
func (t traffic) side() int {
	if t.writes() {
		return 1
	}
	return 0
}

// Points of the secondary limit. (github.md §3)
func (t traffic) points() int {
	if t.writes() {
		return 5
	}
	return 1
}
