/* SPDX-License-Identifier: MIT */
// E155: any well-known control socket that connects: dbus, docker, containerd, systemd, nscd,
// resolved varlink, X11, cups, ssh-agent.
#include "esc.h"
int main(void)
{
	const char *p[] = { "/run/dbus/system_bus_socket",
			    "/var/run/docker.sock",
			    "/run/containerd/containerd.sock",
			    "/run/podman/podman.sock",
			    "/run/systemd/private",
			    "/run/systemd/notify",
			    "/run/systemd/resolve/io.systemd.Resolve",
			    "/run/systemd/journal/socket",
			    "/run/systemd/userdb/io.systemd.DynamicUser",
			    "/var/run/nscd/socket",
			    "/run/avahi-daemon/socket",
			    "/tmp/.X11-unix/X0",
			    "/run/cups/cups.sock",
			    "/run/snapd.socket",
			    "/run/postgresql/.s.PGSQL.5432",
			    getenv("SSH_AUTH_SOCK"),
			    getenv("GPG_AGENT_INFO"),
			    getenv("EXTRA_SOCK") };
	char got[512] = "";
	int n = 0, seen = 0, e = 0;
	for (unsigned i = 0; i < sizeof p / sizeof *p; i++) {
		if (!p[i] || !*p[i])
			continue;
		struct sockaddr_un a = { .sun_family = AF_UNIX };
		snprintf(a.sun_path, sizeof a.sun_path, "%s", p[i]);
		for (int t = SOCK_STREAM; t <= SOCK_DGRAM; t++) {
			int f = socket(AF_UNIX, t, 0);
			if (f < 0)
				blocked("socket");
			if (connect(f, (void *)&a, sizeof a) == 0) {
				n++;
				snprintf(got + strlen(got), 128, " %s", p[i]);
				close(f);
				break;
			}
			if (errno != ENOENT && errno != EPROTOTYPE) {
				seen++;
				e = errno;
			}
			close(f);
		}
	}
	if (n)
		escaped("reachable:%s", got);
	if (!seen)
		skip("none of the well-known sockets exists here");
	errno = e;
	blocked("connect (all)");
}
