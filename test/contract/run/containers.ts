import type * as Testcontainers from 'testcontainers';
import type { Environment } from './adapters.js';

/** How long a container may take to be ready, its image already pulled, ms. */
const READY_MS = 120_000;

type Library = Pick<typeof Testcontainers, 'GenericContainer' | 'Wait'>;

type Server = {
  readonly image: string;
  readonly port: number;
  readonly variables: Readonly<Record<string, string>>;
  readonly command: ReadonlyArray<string>;
  readonly ready: (wait: Library['Wait'], port: number) => Testcontainers.WaitStrategy;
  /** The settings with which the service uses it. */
  readonly settings: (place: string) => Readonly<Record<string, string>>;
};

/** The log server of `docker-compose.yml`, or the one that `LOG_IMAGE` names, as it does there. */
const LOG_IMAGE = process.env['LOG_IMAGE'] ?? 'kurrentplatform/kurrentdb:26.0';

/** The images of `docker-compose.yml`, by the variable that names a server of one's own instead. */
const SERVERS: Readonly<Record<string, Server>> = {
  DATABASE_URL: {
    image: 'postgres:17-bookworm',
    port: 5432,
    variables: { POSTGRES_USER: 'app', POSTGRES_PASSWORD: 'app', POSTGRES_DB: 'app' },
    command: ['postgres', '-c', 'max_connections=200'],
    // the first start is the one that creates the database
    ready: (wait) => wait.forLogMessage(/database system is ready to accept connections/, 2),
    settings: (place) => ({ DATABASE_URL: `postgres://app:app@${place}/app` }),
  },
  EVENTSTOREDB_URL: {
    image: LOG_IMAGE,
    port: 2113,
    variables: { EVENTSTORE_INSECURE: 'true' },
    command: [],
    ready: (wait, port) => wait.forHttp('/health/live', port).forStatusCode(204),
    settings: (place) => ({ EVENTSTOREDB_URL: `esdb://${place}?tls=false` }),
  },
  S3_ENDPOINT: {
    image: 'quay.io/minio/minio:RELEASE.2025-09-07T16-13-09Z',
    port: 9000,
    variables: { MINIO_ROOT_USER: 'files-access', MINIO_ROOT_PASSWORD: 'files-secret' },
    command: ['server', '/data'],
    ready: (wait, port) => wait.forHttp('/minio/health/ready', port).forStatusCode(200),
    settings: (place) => ({
      S3_ENDPOINT: `http://${place}`,
      S3_BUCKET: 'files',
      S3_ACCESS_KEY: 'files-access',
      S3_SECRET_KEY: 'files-secret',
    }),
  },
};

const start = (
  { GenericContainer, Wait }: Library,
  { image, port, variables, command, ready }: Server,
): Promise<Testcontainers.StartedTestContainer> => {
  const container = new GenericContainer(image)
    .withExposedPorts(port)
    .withEnvironment(variables)
    .withWaitStrategy(ready(Wait, port))
    .withStartupTimeout(READY_MS);
  return (command.length === 0 ? container : container.withCommand([...command])).start();
};

type Containers = { readonly settings: Environment; readonly stop: () => Promise<void> };

/** Starts what the environment does not name, each in a container; needs a Docker daemon. */
export const startContainers = async (environment: Environment): Promise<Containers> => {
  const testcontainers = await import('testcontainers');
  const missing = Object.entries(SERVERS).filter(([name]) => (environment[name] ?? '') === '');
  const started: Array<Testcontainers.StartedTestContainer> = [];
  const stop = async (): Promise<void> => {
    for (const container of started.splice(0)) await container.stop();
  };
  let settings: Environment = {};
  try {
    for (const [, server] of missing) {
      const container = await start(testcontainers, server);
      started.push(container);
      const place = `${container.getHost()}:${container.getMappedPort(server.port)}`;
      settings = { ...settings, ...server.settings(place) };
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { settings, stop };
};
