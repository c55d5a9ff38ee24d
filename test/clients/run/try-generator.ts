import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { MakeClient } from '../samples/client.js';
import { CALLS, type Clients } from './calls.js';
import type { Generator } from './generators.js';
import type { Cell, Row } from './table.js';
import { PACKAGE } from './toolchain.js';
import { cellOf, messageOf } from './tried.js';

/** A running service, as the clients meet it. */
export type Service = { readonly address: string; readonly token: string; readonly description: string };

const generate = async ({ command, toolchain }: Generator, sample: string, description: string): Promise<void> => {
  const made = path.join(sample, 'made');
  await rm(made, { recursive: true, force: true });
  await mkdir(made);
  await writeFile(path.join(made, 'openapi.json'), description);
  await toolchain.run(command, sample);
};

const clientsBy = (makeClient: MakeClient, { address, token }: Service): Clients => {
  const storedFile = async (id: string): Promise<Buffer> => {
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch(`${address}/api/v1/document/${id}/file`, { headers });
    return Buffer.from(await response.arrayBuffer());
  };
  return { admin: makeClient(address, token), nobody: makeClient(address, undefined), storedFile };
};

/**
 * Generates a client, compiles its sample and makes the calls; where the machine lacks what the sample is compiled by, the row
 * says so. The calls are made also where the sample does not compile: what is a fault of types alone is so told from one
 * that loses something.
 */
export const tryGenerator = async (generator: Generator, service: Service): Promise<Row> => {
  const { name, toolchain } = generator;
  const sample = path.join(PACKAGE, 'samples', name);
  const cells = new Map<string, Cell>();
  const row = { name, version: await toolchain.versionOf(generator.package), cells };
  const generated = await cellOf(async () => {
    const why = await toolchain.missing();
    if (why !== undefined) return { cannot: why };
    await generate(generator, sample, service.description);
    return undefined;
  });
  cells.set('generates', generated);
  if (generated._tag !== 'Ok') return row;
  const { compiles, narrows } = await toolchain.compile(sample);
  cells.set('compiles', compiles).set('narrows', narrows);
  const opened = await toolchain.open(sample, service.address).catch(messageOf);
  if (typeof opened === 'string') {
    for (const call of Object.keys(CALLS)) cells.set(call, { _tag: 'Failed', why: opened });
    return row;
  }
  const { makeClient, stop } = opened;
  try {
    const clients = clientsBy(makeClient, service);
    for (const [call, tryCall] of Object.entries(CALLS)) cells.set(call, await cellOf(() => tryCall(clients)));
  } finally {
    await stop();
  }
  return row;
};
