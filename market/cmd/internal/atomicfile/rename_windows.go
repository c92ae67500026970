package atomicfile

import (
	"os"
	"syscall"
	"unsafe"
)

// The flags of MoveFileEx, which package syscall lacks.
const (
	replaceExisting = 0x1
	writeThrough    = 0x8
)

var moveFileEx = syscall.NewLazyDLL("kernel32.dll").NewProc("MoveFileExW")

// rename renames a file and returns once the name is on the disk. Windows
// cannot sync a folder, and os.Rename does not write through.
func rename(from, to string) error {
	old, err := syscall.UTF16PtrFromString(from)
	if err != nil {
		return err
	}
	name, err := syscall.UTF16PtrFromString(to)
	if err != nil {
		return err
	}
	moved, _, err := moveFileEx.Call(uintptr(unsafe.Pointer(old)), uintptr(unsafe.Pointer(name)),
		replaceExisting|writeThrough)
	if moved == 0 {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}
