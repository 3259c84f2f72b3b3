"""OpenStack Swift with its S3 interface, in one process: a real server for S3 that Debian packages (python3-swift).

    swift-server.py FOLDER ACCOUNT SECRET REGION

Objects are in memory. It prints one line with its address when it is ready, and ends when its standard input does. The
key's name is ACCOUNT:user.
"""

import os
import sys

import eventlet

eventlet.monkey_patch()

from array import array  # noqa: E402

from eventlet import listen, wsgi  # noqa: E402
from swift.account.server import AccountController  # noqa: E402
from swift.common import storage_policy, utils  # noqa: E402
from swift.common.ring import RingData  # noqa: E402
from swift.common.wsgi import loadapp  # noqa: E402
from swift.container.server import ContainerController  # noqa: E402
from swift.obj.mem_server import ObjectController  # noqa: E402

FOLDER, ACCOUNT, SECRET, REGION = sys.argv[1:]
KINDS = {'account': AccountController, 'container': ContainerController, 'object': ObjectController}
PIPELINE = ['catch_errors', 'gatekeeper', 'cache', 'listing_formats', 's3api', 'tempauth', 'bulk', 'slo']


def write(name, *lines):
    path = os.path.join(FOLDER, name)
    with open(path, 'w') as file:
        file.write('\n'.join(lines) + '\n')
    return path


def ring(name, port):
    """One partition on one device."""
    place = {'ip': '127.0.0.1', 'port': port, 'replication_ip': '127.0.0.1', 'replication_port': port}
    device = {'id': 0, 'zone': 0, 'region': 0, 'device': 'disk', 'weight': 1, 'meta': '', **place}
    RingData([array('H', [0])], [device], 32).save(os.path.join(FOLDER, name + '.ring.gz'))


hashes = write('swift.conf', '[swift-hash]', 'swift_hash_path_prefix = a', 'swift_hash_path_suffix = b')
utils.SWIFT_CONF_FILE = storage_policy.SWIFT_CONF_FILE = hashes
utils.validate_hash_conf()
storage_policy.reload_storage_policies()

devices = os.path.join(FOLDER, 'devices')
os.makedirs(os.path.join(devices, 'disk'))
servers = []
for kind, controller in KINDS.items():
    socket = listen(('127.0.0.1', 0))
    ring(kind, socket.getsockname()[1])
    servers.append((socket, controller({'devices': devices, 'mount_check': 'false', 'swift_dir': FOLDER})))

special = {
    's3api': ['location = ' + REGION],
    'tempauth': ['user_%s_user = %s .admin' % (ACCOUNT, SECRET)],
    'cache': ['memcache_servers = 127.0.0.1:1'],
}
filters = [
    line
    for name in PIPELINE
    for line in ['[filter:%s]' % name, 'use = egg:swift#%s' % ('memcache' if name == 'cache' else name)]
    + special.get(name, [])
]
proxy = listen(('127.0.0.1', 0))
config = write(
    'proxy.conf',
    '[DEFAULT]',
    'swift_dir = ' + FOLDER,
    '[pipeline:main]',
    'pipeline = %s proxy-server' % ' '.join(PIPELINE),
    '[app:proxy-server]',
    'use = egg:swift#proxy',
    'account_autocreate = true',
    *filters,
)
servers.append((proxy, loadapp(config)))
log = open(os.path.join(FOLDER, 'log'), 'w')
for socket, app in servers:
    eventlet.spawn(wsgi.server, socket, app, log)
print('http://127.0.0.1:%d' % proxy.getsockname()[1], flush=True)
eventlet.tpool.execute(sys.stdin.read)
