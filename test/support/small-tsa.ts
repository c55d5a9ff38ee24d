import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { needs } from './needs.js';

export const hasOpenssl = (): boolean => spawnSync('openssl', ['version']).status === 0;

const configOf = (directory: string): string => `
[ req ]
distinguished_name = name
prompt = no
x509_extensions = stamping
[ name ]
CN = a small TSA
[ stamping ]
extendedKeyUsage = critical,timeStamping
[ tsa ]
default_tsa = own
[ own ]
dir = ${directory}
serial = $dir/serial
signer_cert = $dir/cert.pem
certs = $dir/cert.pem
signer_key = $dir/key.pem
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
crypto_device = builtin
ess_cert_id_chain = no
`;

/** A time stamping authority (RFC 3161) with a key of its own, made of `openssl ts -reply`. */
export class SmallTsa {
  readonly #directory = mkdtempSync(path.join(tmpdir(), 'tsa-'));
  readonly #server: Server;
  /** What it says instead; a test sets it. */
  instead: Buffer | undefined = undefined;
  status = 200;

  constructor() {
    this.#write('config', configOf(this.#directory));
    this.#write('serial', '01\n');
    const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '3650'];
    this.#openssl(
      ...request,
      '-config',
      this.#file('config'),
      '-keyout',
      this.#file('key.pem'),
      '-out',
      this.#file('cert.pem'),
    );
    this.#server = createServer((asked, response) => {
      void buffer(asked).then((query) => {
        const isQuery = asked.headers['content-type'] === 'application/timestamp-query';
        response.writeHead(this.status, { 'content-type': 'application/timestamp-reply' });
        response.end(this.instead ?? (isQuery ? this.reply(query) : ''));
      });
    });
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
    rmSync(this.#directory, { recursive: true });
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo; // reason: it listens on a port
    return `http://127.0.0.1:${port}/tsr`;
  }

  /** The file of its certificate, which is its own root. */
  get certificate(): string {
    return this.#file('cert.pem');
  }

  /** What `openssl ts -reply` answers. */
  reply(query: Buffer): Buffer {
    this.#write('query', query);
    const files = ['-queryfile', this.#file('query'), '-out', this.#file('answer')];
    this.#openssl('ts', '-reply', '-config', this.#file('config'), '-section', 'own', ...files);
    return readFileSync(this.#file('answer'));
  }

  /** The exit code of `openssl ts -verify` over data and its timestamp, with the certificate of this authority. */
  verify(data: string, answer: Buffer): number | null {
    this.#write('checkpoint', data);
    this.#write('timestamp', answer);
    const files = [
      '-data',
      this.#file('checkpoint'),
      '-in',
      this.#file('timestamp'),
      '-CAfile',
      this.#file('cert.pem'),
    ];
    return spawnSync('openssl', ['ts', '-verify', ...files]).status;
  }

  #file(name: string): string {
    return path.join(this.#directory, name);
  }

  #write(name: string, content: string | Buffer): void {
    writeFileSync(this.#file(name), content);
  }

  #openssl(...args: ReadonlyArray<string>): void {
    execFileSync('openssl', args, { stdio: 'ignore' });
  }
}

/** An authority for all tests of a suite, which begins and ends with it; without openssl the suite is skipped. */
export const tsaOfSuite = (): (() => SmallTsa) => {
  let tsa: SmallTsa;
  before(async function () {
    needs(this, hasOpenssl(), 'openssl, which plays the authority');
    tsa = new SmallTsa();
    await tsa.start();
  });
  after(async () => {
    if (hasOpenssl()) await tsa.stop();
  });
  return () => tsa;
};
