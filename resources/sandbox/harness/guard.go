package main

import "os"

var annotatorNonce = func() []byte {
	input := os.NewFile(3, "nonce")
	text := make([]byte, 128)
	count, _ := input.Read(text)
	input.Close()
	return text[:count]
}()

// The program's own main is renamed; os.Exit never comes back here.
func main() {
	annotatorProgram()
	os.NewFile(4, "done").Write(annotatorNonce)
}
