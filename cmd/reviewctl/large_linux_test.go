package main

// maxrssUnit is what the kernel counts a process' largest memory in.
const maxrssUnit = 1 << 10
