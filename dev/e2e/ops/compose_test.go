package ops

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// TestComposeFile loads the compose file with compose's own library, which resolves anchors,
// variables and paths, and refuses what is misspelt. The files that it names are there.
func TestComposeFile(t *testing.T) {
	options, err := cli.NewProjectOptions([]string{"../../../market/cmd/jobboard-mirror/compose.yaml"}, cli.WithEnv([]string{
		"POSTGRES_PASSWORD=secret", "GRAFANA_PASSWORD=other", "JOBBOARD_BASE_URL=https://jobs.example", "JOBBOARD_JOBDB_URL=https://db.example",
		"JOBBOARD_CLIENT_ID=10", "JOBBOARD_CHANNEL=27828_extern",
	}), cli.WithName("jobs"))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	names := project.ServiceNames()
	slices.Sort(names)
	if want := []string{"database", "grafana", "migrate", "mirror", "prometheus", "reader"}; !slices.Equal(names, want) {
		t.Errorf("the services are %q, not %q", names, want)
	}
	for name, service := range project.Services {
		if service.Build != nil {
			for _, file := range []string{service.Build.Context, filepath.Join(service.Build.Context, service.Build.Dockerfile)} {
				if _, err := os.Stat(file); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			if got := *service.Environment["JOBBOARD_MIRROR_DB"]; got != "postgres://mirror:secret@database/mirror?sslmode=disable" {
				t.Errorf("%s has the database %q", name, got)
			}
		}
		for _, volume := range service.Volumes {
			if volume.Type != types.VolumeTypeBind {
				continue
			}
			if found, err := os.ReadDir(volume.Source); err != nil || len(found) == 0 || !volume.ReadOnly {
				t.Errorf("%s mounts %s: %d files, to read only: %t, %v", name, volume.Source, len(found), volume.ReadOnly, err)
			}
		}
		for _, port := range service.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s is published at %q", name, port.HostIP)
			}
		}
	}
	for service, target := range map[string]string{
		"prometheus": "/etc/prometheus/prometheus.yml", "grafana": "/var/lib/grafana/dashboards/jobboard.json",
	} {
		if !slices.ContainsFunc(project.Services[service].Volumes, func(v types.ServiceVolumeConfig) bool {
			_, err := os.Stat(filepath.Join(v.Source, filepath.Base(target)))
			return v.Target == filepath.Dir(target) && err == nil
		}) {
			t.Errorf("%s has no %s", service, target)
		}
	}
}
