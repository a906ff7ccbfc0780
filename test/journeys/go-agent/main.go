// An agent that speaks as the Go original does: Go's own TLS, HTTP and JSON, the fields of the
// contract marked compat and no others. It prints one JSON line for each step.
package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

type quantities struct {
	CPU     string `json:"cpu"`
	Memory  string `json:"memory"`
	GPU     string `json:"gpu,omitempty"`
	Storage string `json:"storage,omitempty"`
}

type metrics struct {
	Capacity    quantities  `json:"capacity"`
	Allocatable quantities  `json:"allocatable"`
	Allocated   quantities  `json:"allocated"`
	Reserved    *quantities `json:"reserved,omitempty"`
	Available   quantities  `json:"available"`
}

// The original's own pattern: an amount that is empty or absent is an error there.
var quantity = regexp.MustCompile(`^[+-]?[0-9.]+([eEinumkKMGTP]*[-+]?[0-9]*)$`)

// Every block that is present is parsed.
func (m metrics) check() {
	blocks := []quantities{m.Capacity, m.Allocatable, m.Allocated, m.Available}
	if m.Reserved != nil {
		blocks = append(blocks, *m.Reserved)
	}
	for _, block := range blocks {
		if !quantity.MatchString(block.CPU) || !quantity.MatchString(block.Memory) {
			fail(fmt.Errorf("quantities must match the regular expression: %+v", block))
		}
	}
}

type advertisement struct {
	ClusterID   string    `json:"clusterID"`
	ClusterName string    `json:"clusterName"`
	Resources   metrics   `json:"resources"`
	Timestamp   time.Time `json:"timestamp"`
}

type reservation struct {
	ID                 string     `json:"id"`
	RequesterID        string     `json:"requesterID"`
	TargetClusterID    string     `json:"targetClusterID"`
	RequestedResources quantities `json:"requestedResources"`
	Status             struct {
		Phase      string     `json:"phase"`
		Message    string     `json:"message"`
		ReservedAt *time.Time `json:"reservedAt,omitempty"`
		ExpiresAt  *time.Time `json:"expiresAt,omitempty"`
	} `json:"status"`
	CreatedAt time.Time `json:"createdAt"`
}

type published struct {
	Advertisement        advertisement `json:"advertisement"`
	ProviderInstructions []reservation `json:"providerInstructions,omitempty"`
}

type request struct {
	RequestedResources quantities `json:"requestedResources"`
	Priority           int32      `json:"priority,omitempty"`
	Duration           string     `json:"duration,omitempty"`
}

type line struct {
	Step   string `json:"step"`
	Status int    `json:"status"`
	Raw    string `json:"raw"`
	Read   any    `json:"read,omitempty"`
}

type agent struct {
	client *http.Client
	base   string
	id     string
}

func main() {
	url := flag.String("broker-url", "", "address of the broker")
	certificates := flag.String("broker-cert-path", "", "directory with tls.crt, tls.key, ca.crt")
	id := flag.String("cluster-id", "", "who this is")
	cpu := flag.String("cpu", "8", "cores to advertise, or to reserve")
	duration := flag.String("duration", "", "how long to reserve")
	polls := flag.Int("polls", 1, "how often to ask for instructions until there are some")
	interval := flag.Duration("instruction-poll-interval", 5*time.Second, "pause between two")
	flag.Parse()

	a := agent{client: newClient(*certificates), base: *url, id: *id}
	for _, step := range flag.Args() {
		switch step {
		case "ping":
			a.ask("ping", http.MethodGet, "/healthz", nil, nil)
		case "publish":
			a.publish(*cpu)
		case "reserve":
			wanted := request{RequestedResources: quantities{CPU: *cpu, Memory: "1Gi"}, Duration: *duration}
			a.ask("reserve", http.MethodPost, "/api/v1/reservations", wanted, &reservation{})
		case "evaluate":
			wanted := request{RequestedResources: quantities{CPU: *cpu, Memory: "1Gi"}}
			a.ask("evaluate", http.MethodPost, "/api/v1/evaluations", wanted, &struct {
				TargetClusterID string `json:"targetClusterID"`
			}{})
		case "poll":
			for poll := range *polls {
				if poll > 0 {
					time.Sleep(*interval)
				}
				held := []reservation{}
				a.ask("poll", http.MethodGet, "/api/v1/instructions", nil, &held)
				if len(held) > 0 {
					break
				}
			}
		default:
			fail(fmt.Errorf("unknown step %q", step))
		}
	}
}

// The original asks for its advertisement first and sends back what it finds reserved.
func (a agent) publish(cpu string) {
	known := advertisement{}
	if a.ask("fetch", http.MethodGet, "/api/v1/advertisements/"+a.id, nil, &known) < 300 {
		known.Resources.check()
	}
	has := quantities{CPU: cpu, Memory: "33554432Ki"}
	body := advertisement{
		ClusterID: a.id, ClusterName: a.id, Timestamp: time.Now(),
		Resources: metrics{
			Capacity: has, Allocatable: has, Allocated: quantities{CPU: "0", Memory: "0"},
			Reserved: known.Resources.Reserved, Available: has,
		},
	}
	answer := published{}
	if a.ask("publish", http.MethodPost, "/api/v1/advertisements", body, &answer) < 300 {
		answer.Advertisement.Resources.check()
	}
}

func (a agent) ask(step, method, path string, body, into any) int {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		fail(err)
		content = bytes.NewReader(text)
	}
	asked, err := http.NewRequest(method, a.base+path, content)
	fail(err)
	if body != nil {
		asked.Header.Set("Content-Type", "application/json")
	}
	answer, err := a.client.Do(asked)
	fail(err)
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	fail(err)
	said := line{Step: step, Status: answer.StatusCode, Raw: string(raw)}
	if into != nil && answer.StatusCode < 300 {
		fail(json.Unmarshal(raw, into))
		said.Read = into
	}
	fail(json.NewEncoder(os.Stdout).Encode(said))
	return answer.StatusCode
}

func newClient(directory string) *http.Client {
	pair, err := tls.LoadX509KeyPair(
		filepath.Join(directory, "tls.crt"), filepath.Join(directory, "tls.key"))
	fail(err)
	authority, err := os.ReadFile(filepath.Join(directory, "ca.crt"))
	fail(err)
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) {
		fail(fmt.Errorf("no certificate in ca.crt"))
	}
	configured := &tls.Config{
		Certificates: []tls.Certificate{pair}, RootCAs: roots, MinVersion: tls.VersionTLS12}
	transport := &http.Transport{TLSClientConfig: configured, MaxConnsPerHost: 10}
	return &http.Client{Transport: transport, Timeout: 30 * time.Second}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
