import http from 'node:http';
import { homedir } from 'node:os';
import path from 'node:path';
import type { Environment } from './adapters.js';

/** Longest wait for a daemon, ms: a busy machine keeps one from answering for a second or two. */
const ANSWER_TIMEOUT = 4_000;

type Place = { readonly socketPath: string } | { readonly host: string; readonly port: number };

/** The places that Docker's own clients look at: `DOCKER_HOST` alone when it is given. */
const placesOf = ({ DOCKER_HOST: given, XDG_RUNTIME_DIR: runtime }: Environment): ReadonlyArray<Place> => {
  if (given !== undefined && given !== '') {
    const { protocol, pathname, hostname, port } = new URL(given);
    if (protocol === 'unix:' || protocol === 'npipe:') return [{ socketPath: pathname }];
    return protocol === 'tcp:' || protocol === 'http:'
      ? [{ host: hostname, port: port === '' ? 2375 : Number(port) }]
      : [];
  }
  if (process.platform === 'win32') return [{ socketPath: '//./pipe/docker_engine' }];
  const folders = [path.join(homedir(), '.docker/run'), path.join(homedir(), '.docker/desktop')];
  const sockets = [...(runtime === undefined ? [] : [runtime]), ...folders].map((folder) => `${folder}/docker.sock`);
  return ['/var/run/docker.sock', ...sockets].map((socketPath) => ({ socketPath }));
};

const answers = (place: Place): Promise<boolean> =>
  new Promise((resolve) => {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT);
    const request = http.get({ ...place, path: '/_ping', agent: false, signal }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('error', () => resolve(false));
  });

/** Whether a Docker daemon answers where this environment says, within seconds. */
export const isDockerThere = async (environment: Environment): Promise<boolean> =>
  (await Promise.all(placesOf(environment).map(answers))).includes(true);
