"""FastMCP's proxy before a server on stdio: python fastmcp_proxy.py <command …>.

A server with state needs one session of it for each session of the client, and `create_proxy` over a
transport that is kept alive does not hand on what the server asks; so it is the stateful client that its documentation has.
"""

import os
import sys

from fastmcp.client.transports import StdioTransport
from fastmcp.server.providers.proxy import FastMCPProxy, StatefulProxyClient

command, *args = sys.argv[1:]
client = StatefulProxyClient(StdioTransport(command, args, env=dict(os.environ)))
FastMCPProxy(client_factory=client.new_stateful).run("stdio", show_banner=False)
