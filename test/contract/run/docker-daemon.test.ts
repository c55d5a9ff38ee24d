import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { endsWithin } from '../../support/ends-within.js';
import { isDockerThere } from './docker-daemon.js';

describe('looking for a Docker daemon', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(path.join(tmpdir(), 'docker-'))));
  afterEach(() => rm(folder, { recursive: true }));

  const lookAt = async (answer: http.RequestListener): Promise<boolean> => {
    const socket = path.join(folder, 'docker.sock');
    const daemon = http.createServer(answer).listen(socket);
    await once(daemon, 'listening');
    const found = await isDockerThere({ DOCKER_HOST: `unix://${socket}` });
    daemon.close();
    daemon.closeAllConnections();
    await once(daemon, 'close');
    return found;
  };

  it('finds one that answers its ping', async () => {
    const found = await lookAt((request, response) => response.writeHead(request.url === '/_ping' ? 200 : 404).end());
    expect(found).to.equal(true);
  });

  it('takes a broken one for none', async () => {
    expect(await lookAt((_request, response) => response.writeHead(500).end())).to.equal(false);
  });

  it('takes a silent one for none, within seconds', async () => {
    const looking = lookAt(() => undefined);
    expect(await endsWithin(5_000, looking)).to.equal(true);
    expect(await looking).to.equal(false);
  });

  it('finds none where nobody listens', async () => {
    expect(await isDockerThere({ DOCKER_HOST: `unix://${folder}/none.sock` })).to.equal(false);
    expect(await isDockerThere({ DOCKER_HOST: 'tcp://127.0.0.1:1' })).to.equal(false);
  });
});
