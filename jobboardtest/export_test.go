package jobboardtest

// Inside returns the methods of the server for package control.
func (s *Server) Inside() inside { return inside{s} }
