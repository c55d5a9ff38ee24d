import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { startDouble } from '../../support/eventstoredb-double/double.js';
import { errorIn } from '../../support/error-in.js';
import { untilReadiness } from '../../support/readiness.js';
import { eventually } from '../../support/eventually.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';
import { startS3Server } from '../../support/s3-server.js';
import { startService, tokenFor } from '../../support/service-process.js';
import { type SeverableProxy, startSeverableProxy } from '../../support/severable-proxy.js';
import {
  ALL_WELL,
  type Answer,
  type Dependencies,
  type Deployment,
  type Outage,
  type Pause,
  type Request,
  REQUESTS,
  type Service,
} from './outages.js';

/** Longest time, ms, of any answer, whatever is down. */
const BOUND = 3_000;
/** A pause that is waited for, and one that is not, ms. */
const [SHORT, LONG] = [2_000, 4_000];
/** By how much a short pause may be longer, ms. With more it is another one, which need not be waited for. */
const LONGER = 150;
/** For how long it is tried to make one that is not longer, ms. */
const PAUSED_AGAIN = 120_000;
/**
 * Longest time, ms, of a write that need not find out again that projecting stands still: it looks for its row for 300 ms,
 * and is held back for 800 ms.
 */
const NOT_WAITING = 1_500;
/** When to wait no longer until everything works again, ms. */
const HEALED = 60_000;
/** How often it is looked whether the machine is late, ms. */
const TICK = 10;
/** A request and its answer wait for their turn in so many processes, one after the other. */
const TURNS = 4;

const formWithFile = (): FormData => {
  const form = new FormData();
  form.set('name', 'a file');
  form.set('file', new Blob(['content']), 'file.txt');
  return form;
};

const bodyOf = (request: Request): { readonly body?: string | FormData; readonly type?: string } => {
  if (request === 'upload') return { body: formWithFile() };
  if (request !== 'create' && request !== 'update') return {};
  return { body: JSON.stringify({ name: `written at ${Date.now()}` }), type: 'application/json' };
};

/** What `/readyz` says of each part while these are missing. */
const checksOf = (missing: ReadonlyArray<string>): object => {
  const how = (what: string): string => (missing.includes(what) ? 'failed' : 'ok');
  return {
    serving: 'ok',
    log: how('event log'),
    readModels: how('read models'),
    writable: 'ok',
    readModelsOfThisLog: 'ok',
    rowsWritten: 'ok',
    files: how('file storage'),
  };
};

/**
 * Each outage, met by a running service: what it answers, how fast, what it says, and that it heals. And a part that
 * pauses, which is waited for when the pause is short.
 */
export const goingDown = ({ name, settings }: Deployment, outages: ReadonlyArray<Outage>, paused?: Pause) =>
  describe(`a service on ${name}`, function () {
    this.timeout(400_000);
    let dataDir: string;
    let token: string;
    let dependencies: Dependencies;
    let service: Service;

    const send = (address: string, request: Request, place: string): Promise<Response> => {
      const { body, type } = bodyOf(request);
      const headers = { authorization: `Bearer ${token}`, ...(type === undefined ? {} : { 'content-type': type }) };
      return fetch(`${address}${place}`, {
        method: REQUESTS[request][0],
        headers,
        ...(body === undefined ? {} : { body }),
      });
    };

    const ask = async (
      request: Request,
    ): Promise<{ readonly answer: Answer; readonly text: string; readonly ms: number }> => {
      const start = performance.now();
      const response = await send(service.process.address, request, REQUESTS[request][1](service));
      const text = await response.text();
      const isProjected = response.headers.get('x-projected') !== 'false';
      // reason: any other status fails the comparison with the table
      return { answer: isProjected ? (response.status as Answer) : 'unprojected', text, ms: performance.now() - start };
    };

    /** The same, and by how much, ms, the machine was late meanwhile: no answer can be in time then. */
    const timed = async <A>(work: () => Promise<A>): Promise<readonly [A, lateness: number]> => {
      const lag = monitorEventLoopDelay({ resolution: TICK });
      lag.enable();
      const done = await work();
      lag.disable();
      return [done, Math.max(0, lag.max / 1e6 - 2 * TICK)];
    };

    type Answered = { readonly answers: Readonly<Record<string, Answer>>; readonly slow: ReadonlyArray<string> };

    /** How much later an answer may be where the machine was late by so much, ms. */
    const allowed = (lateness: number): number => lateness * TURNS;

    type Asked = ReadonlyArray<readonly [Request, Awaited<ReturnType<typeof ask>>]>;

    const answeredOf = ([asked, lateness]: readonly [Asked, lateness: number]): Answered => ({
      answers: Object.fromEntries(asked.map(([request, { answer }]) => [request, answer])),
      slow: asked.flatMap(([request, { ms }]) =>
        ms > BOUND + allowed(lateness)
          ? [`${request}: ${Math.round(ms)} ms, the machine late by ${Math.round(lateness)} ms`]
          : [],
      ),
    });

    // reason: the keys of a literal
    const requests = Object.keys(REQUESTS) as ReadonlyArray<Request>;

    const askAllAtOnce = async (): Promise<Answered> =>
      answeredOf(
        await timed(() => Promise.all(requests.map(async (request) => [request, await ask(request)] as const))),
      );

    const askOneAfterAnother = async (): Promise<Answered> =>
      answeredOf(
        await timed(async () => {
          const asked: Array<Asked[number]> = [];
          for (const request of requests) asked.push([request, await ask(request)]);
          return asked;
        }),
      );

    /** Whether everything is answered, now or soon; `/readyz` fails where the machine is late by a second. */
    const isWellSoon = async (): Promise<boolean> => {
      const isWell = ({ answers }: Answered): boolean => isDeepStrictEqual(answers, ALL_WELL);
      // polls: a part that heals tells nobody
      return isWell(await eventually(askAllAtOnce, isWell, HEALED));
    };

    /** What is answered while a part pauses for so long, and how much longer it did, ms, because the machine was late. */
    const askWhilePaused = async (
      way: SeverableProxy,
      ms: number,
    ): Promise<{ readonly answered: Answered; readonly longer: number }> => {
      const began = performance.now();
      way.stall();
      // pauses: that is the fault
      const mending = delay(ms).then(() => {
        way.mend();
        return performance.now() - began;
      });
      try {
        const [answered, lateness] = await timed(askAllAtOnce);
        return { answered, longer: (await mending) - ms + lateness };
      } finally {
        await mending;
        expect(await isWellSoon()).to.equal(true);
      }
    };

    const idOf = async (response: Response): Promise<string> => ((await response.json()) as { _id: string })._id;

    before(async function () {
      this.timeout(startingPostgres + 60_000);
      token = await tokenFor('admin', 'alice');
      dataDir = await mkdtemp(path.join(tmpdir(), 'dependencies-'));
      const log = await startDouble();
      dependencies = {
        log,
        wayToLog: await startSeverableProxy(log.connectionString),
        database: await startSeverableProxy(await freshDatabase()),
        files: await startS3Server(),
      };
      const process = await startService({ dataDir, env: settings(dependencies) });
      const business = await idOf(await send(process.address, 'create', '/api/v1/business/'));
      const document = await idOf(await send(process.address, 'upload', '/api/v1/document/'));
      service = { process, business, document };
      expect(await isWellSoon()).to.equal(true);
    });

    after(async () => {
      service.process.kill('SIGTERM');
      expect(await service.process.exited).to.equal(0);
      await dependencies.wayToLog.close();
      dependencies.log.close();
      await dependencies.database.close();
      await dependencies.files.close();
      await rm(dataDir, { recursive: true });
    });

    if (paused !== undefined)
      for (const [ms, isWaitedFor] of [
        [SHORT, true],
        [LONG, false],
      ] as const)
        it(`${isWaitedFor ? 'answers everything' : 'answers in time'} while ${paused.what} pauses for ${ms} ms`, async () => {
          const way = paused.way(dependencies);
          // polls: a pause in which the machine was late is made once more
          const { answered } = await eventually(
            () => askWhilePaused(way, ms),
            ({ longer }) => !isWaitedFor || longer <= LONGER,
            PAUSED_AGAIN,
          );
          expect(answered.slow).to.deep.equal([]);
          // `/readyz` does not wait so long
          if (isWaitedFor) expect({ ...answered.answers, '/readyz': 200 }).to.deep.equal(ALL_WELL);
          else expect(answered.answers).to.include({ update: 503, 'as of': 503 });
        });

    for (const { what, missing, answers, begin, end } of outages)
      it(`does what it can while ${what}, says what is missing, and heals without a restart`, async () => {
        const before = service.process.output().length;
        let isHealed: boolean;
        await begin(dependencies);
        try {
          // every request meets the outage unprepared, and then each one alone when it is known
          expect(await askAllAtOnce()).to.deep.equal({ answers, slow: [] });
          expect(await askOneAfterAnother()).to.deep.equal({ answers, slow: [] });
          if (answers.update === 'unprojected') {
            const [{ ms }, lateness] = await timed(() => ask('update'));
            expect(ms).to.be.lessThan(NOT_WAITING + allowed(lateness));
          }
          const notReady = {
            name: 'Service Unavailable',
            message: `Not ready: ${missing.join(', ')}`,
            status: 503,
            code: 'not_ready',
            checks: checksOf(missing),
          };
          // a part that is there, and is not asked within a second, is missing as well
          await untilReadiness(service.process, ({ text }) => isDeepStrictEqual(errorIn(JSON.parse(text)), notReady));
          const said = `"missing":${JSON.stringify(missing)},"msg":"not ready"`;
          await service.process.outputOnce((output) => output.slice(before).includes(said));
        } finally {
          await end(dependencies);
          // also for the outage that comes next
          isHealed = await isWellSoon();
        }
        expect(isHealed).to.equal(true);
      });
  });
