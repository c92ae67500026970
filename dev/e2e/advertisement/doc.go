// Package advertisement shows cleaned advertisements in a headless Chromium. The
// fixtures of another sanitizer come from npm ("npm ci" here).
package advertisement
