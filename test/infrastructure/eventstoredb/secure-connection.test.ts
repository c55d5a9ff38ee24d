import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ServerCredentials } from '@grpc/grpc-js';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { anEvent, append, aStream } from '../../contract/event-store/store-under-test.js';
import { type Authority, type Certificate, makeAuthority } from '../../support/certificates.js';
import { type EventStoreDbDouble, startDouble } from '../../support/eventstoredb-double/double.js';
import { openStore, patient } from '../../support/eventstoredb-double/open-store.js';

const USER = `Basic ${Buffer.from('ops:s:cret@1').toString('base64')}`;

describe('a secure connection to EventStoreDB', () => {
  const authority = makeAuthority('an authority of the test');
  const server = authority.issue('node');
  let folder: string;
  let double: EventStoreDbDouble;

  const credentials = (asksClient: boolean): ServerCredentials =>
    ServerCredentials.createSsl(
      Buffer.from(authority.certificate),
      [{ cert_chain: Buffer.from(server.certificate), private_key: Buffer.from(server.key) }],
      asksClient,
    );
  const fileOf = async (name: string, text: string): Promise<string> => {
    const file = path.join(folder, name);
    await writeFile(file, text);
    return file;
  };
  const caFile = ({ certificate }: Authority): Promise<string> => fileOf('ca.pem', certificate);
  const userFiles = async ({ certificate, key }: Certificate): Promise<string> =>
    `userCertFile=${await fileOf('user.pem', certificate)}&userKeyFile=${await fileOf('user.key', key)}`;

  const appendWith = async (query: string, timings = patient): Promise<boolean> => {
    // By name: newer versions of Node refuse a TLS server name that is an address (RFC 6066 §3).
    const { store } = openStore(`esdb://ops:s%3Acret%401@localhost:${double.node.port}?${query}`, { timings });
    const outcome = await append(store, aStream(), 'no-stream', anEvent());
    await store.close();
    return E.isRight(outcome);
  };

  /** Where it must fail, it is tried for this time. */
  const inVain = (query: string): Promise<boolean> => appendWith(query, { ...patient, timeout: 2_000 });

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'secure-'));
  });
  afterEach(async () => {
    double.close();
    await rm(folder, { recursive: true });
  });

  it('trusts the given authority and sends the user with every call that needs one', async () => {
    double = await startDouble({ credentials: credentials(false) });
    expect(await appendWith(`tlsCAFile=${await caFile(authority)}`)).to.equal(true);
    const calls = double.node.state.calls.filter(({ rpc }) => rpc === 'append');
    expect(calls.map(({ headers }) => headers['authorization'])).to.deep.equal([USER]);
  });

  it('sends nothing to a server of another authority', async () => {
    double = await startDouble({ credentials: credentials(false) });
    expect(await inVain(`tlsCAFile=${await caFile(makeAuthority('somebody else'))}`)).to.equal(false);
    expect(double.node.state.calls).to.deep.equal([]);
  });

  it("sends the user's certificate to a server that asks for one", async () => {
    double = await startDouble({ credentials: credentials(true) });
    const trusted = `tlsCAFile=${await caFile(authority)}`;
    expect(await appendWith(`${trusted}&${await userFiles(authority.issue('ops'))}`)).to.equal(true);
    expect(await inVain(trusted)).to.equal(false);
  });

  it('sends the user also without TLS, to a server whose `--disable-tls` keeps its users', async () => {
    double = await startDouble();
    expect(await appendWith('tls=false')).to.equal(true);
    const calls = double.node.state.calls.filter(({ rpc }) => rpc === 'append');
    expect(calls.map(({ headers }) => headers['authorization'])).to.deep.equal([USER]);
  });
});
