import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { checkpointOf } from '../../../src/event-sourcing/recorded-event.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { lagOf } from '../../../src/infrastructure/metrics/lag.js';
import { watchDisks } from '../../../src/infrastructure/metrics/disk-gauges.js';
import { watchChecks, watchWarnings } from '../../../src/infrastructure/metrics/readiness-gauges.js';
import { makeComparison } from '../../../projections/engine/run/comparison.js';
import { makeProgress } from '../../../projections/engine/run/progress.js';
import { makeMetrics } from '../../../src/infrastructure/metrics/metrics.js';
import { countSigning } from '../../../src/infrastructure/metrics/seal-metrics.js';
import { makeVerificationMetrics } from '../../../src/infrastructure/metrics/verification-metrics.js';
import { watchProjections } from '../../../src/infrastructure/metrics/projection-metrics.js';
import { givenStream } from '../../support/given-stream.js';
import { makeManualClock } from '../../support/manual-clock.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const named = (name: string) => ({ type: 'BusinessCreated', data: { name } }) as const;
const noon = { at: '2026-01-01T12:00:00.000Z' };
const aMinuteLater = new Date('2026-01-01T12:01:00.000Z');

/** The lines of a scrape that say something about `name`. */
const linesOf = (body: string, name: string): ReadonlyArray<string> =>
  body.split('\n').filter((line) => line.startsWith(name));

describe('lag', () => {
  it('counts the events of the category after the checkpoint, and the age of the oldest', async () => {
    const store = makeInMemoryEventStore();
    const [first] = await givenStream(store, 'business-1', [named('one'), noon], [named('two'), noon]);
    await givenStream(store, 'document-1', [named('another category'), noon]);
    await givenStream(store, 'business-2', [named('three'), noon]);
    expect(await lagOf(store, ['business'], 'start', aMinuteLater)).to.deep.equal({ events: 3, seconds: 60 });
    expect(await lagOf(store, ['business'], checkpointOf(first!), aMinuteLater)).to.deep.equal({
      events: 2,
      seconds: 60,
    });
  });

  it('is nothing at the head, and in an empty log', async () => {
    const store = makeInMemoryEventStore();
    expect(await lagOf(store, ['business'], 'start', aMinuteLater)).to.deep.equal({ events: 0, seconds: 0 });
    const [only] = await givenStream(store, 'business-1', [named('one'), noon]);
    expect(await lagOf(store, ['business'], checkpointOf(only!), aMinuteLater)).to.deep.equal({
      events: 0,
      seconds: 0,
    });
  });
});

describe('metrics', () => {
  it('name the versions of the program and of Node', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { readonly version: string }; // reason: ours
    const { body } = await makeMetrics(makeManualClock()).read();
    expect(linesOf(body, 'business_document_service_build_info')).to.deep.equal([
      `business_document_service_build_info{version="${version}",node="${process.version}"} 1`,
    ]);
  });

  it('show appends from the start, so that the first one is an increase', async () => {
    const { body } = await makeMetrics(makeManualClock()).read();
    expect(linesOf(body, 'event_append_duration_seconds_count')).to.deep.equal([
      'event_append_duration_seconds_count{outcome="appended"} 0',
    ]);
  });

  it('show how each check of /readyz is at the scrape', async () => {
    const metrics = makeMetrics(makeManualClock());
    let files: 'ok' | 'failed' = 'ok';
    watchChecks(metrics, () => Promise.resolve({ checks: { log: 'ok', files } }));
    const lines = async () => linesOf((await metrics.read()).body, 'readiness_check');
    expect(await lines()).to.deep.equal(['readiness_check{check="log"} 1', 'readiness_check{check="files"} 1']);
    files = 'failed';
    expect(await lines()).to.deep.equal(['readiness_check{check="log"} 1', 'readiness_check{check="files"} 0']);
  });

  it('show when a pass over the log ended last that compared everything', async () => {
    const clock = makeManualClock(new Date('2026-01-02T03:04:05Z'));
    const metrics = makeMetrics(clock);
    const counts = makeVerificationMetrics(clock, metrics);
    const ended = async () => linesOf((await metrics.read()).body, 'log_verification_ended_seconds');
    counts.passEnded({ isWhole: false });
    expect(await ended()).to.deep.equal(['log_verification_ended_seconds 0']);
    counts.passEnded({ isWhole: true });
    await clock.advance(60_000);
    counts.passEnded({ isWhole: false });
    expect(await ended()).to.deep.equal([`log_verification_ended_seconds ${Date.UTC(2026, 0, 2, 3, 4, 5) / 1_000}`]);
  });

  it('show when a checkpoint was signed last', async () => {
    const clock = makeManualClock(new Date('2026-01-02T03:04:05.678Z'));
    const metrics = makeMetrics(clock);
    const count = countSigning(clock, metrics);
    await clock.advance(1_000);
    count({ _tag: 'Signed', checkpoint: { origin: 'log.example', size: 7, note: '' } });
    const lines = linesOf((await metrics.read()).body, 'seal_signed_seconds');
    expect(lines).to.deep.equal([`seal_signed_seconds ${Date.parse('2026-01-02T03:04:06.678Z') / 1_000}`]);
  });

  it('count requests, appends by outcome, waits by outcome and connection events by kind', async () => {
    const metrics = makeMetrics(makeManualClock());
    const store = metrics.timeAppends(makeInMemoryEventStore());
    const progress = metrics.timeProjection('businesses', {
      waitFor: (position) => Promise.resolve(position > 0n),
      heldMs: 0,
    });
    metrics.observeRequest({ operation: 'listBusinesses', method: 'GET', status: 200, seconds: 0.002 });
    metrics.countConnectionEvent({ kind: 'connection-lost', connection: 'writer', cause: new Error() });
    metrics.countConnectionEvent({ kind: 'watchdog' });
    const [appended] = await givenStream(store, 'business-1', [named('one')]);
    await store.append('business-1', 'no-stream', [appended!]);
    await store.append('business-1', 5n, [appended!]);
    await progress.waitFor(1n);
    await progress.waitFor(0n);

    const { body, contentType } = await metrics.read();
    expect(contentType).to.include('text/plain');
    expect(linesOf(body, 'http_requests_total')).to.deep.equal([
      'http_requests_total{operation="listBusinesses",method="GET",status="200"} 1',
    ]);
    expect(linesOf(body, 'event_append_duration_seconds_count')).to.deep.equal([
      'event_append_duration_seconds_count{outcome="appended"} 2',
      'event_append_duration_seconds_count{outcome="RevisionConflict"} 1',
    ]);
    expect(linesOf(body, 'projection_latency_seconds_count')).to.deep.equal([
      'projection_latency_seconds_count{read_model="businesses",outcome="projected"} 1',
      'projection_latency_seconds_count{read_model="businesses",outcome="late"} 1',
    ]);
    expect(linesOf(body, 'event_log_connection_events_total')).to.deep.equal([
      'event_log_connection_events_total{kind="events-lost"} 0',
      'event_log_connection_events_total{kind="connection-lost"} 1',
      'event_log_connection_events_total{kind="watchdog"} 1',
    ]);
  });

  it('time appends and waits by the clock', async () => {
    const clock = makeManualClock();
    const metrics = makeMetrics(clock);
    const inMemory = makeInMemoryEventStore();
    const store = metrics.timeAppends({
      ...inMemory,
      append: async (...append) => {
        await clock.advance(20);
        return inMemory.append(...append);
      },
    });
    const progress = metrics.timeProjection('businesses', {
      waitFor: async () => {
        await clock.advance(1_500);
        return false;
      },
      heldMs: 0,
    });
    await givenStream(store, 'business-1', [named('one')]);
    await progress.waitFor(1n);
    const { body } = await metrics.read();
    expect(linesOf(body, 'event_append_duration_seconds_sum')).to.deep.equal([
      'event_append_duration_seconds_sum{outcome="appended"} 0.02',
    ]);
    expect(linesOf(body, 'projection_latency_seconds_sum')).to.deep.equal([
      'projection_latency_seconds_sum{read_model="businesses",outcome="late"} 1.5',
    ]);
  });

  it('show lag where this process writes the live rows or nobody does, and leave out what cannot be asked', async () => {
    const metrics = makeMetrics(makeManualClock());
    const store = makeInMemoryEventStore();
    await givenStream(store, 'business-1', [named('one')], [named('two')]);
    const at = { reached: -1n, isBehind: false, isUnwritten: false, isExamined: true };
    const wrongLog = () => undefined;
    const progress = makeProgress(systemRuntime.clock);
    const { freshness: rows, shownUntil } = makeComparison(systemRuntime.clock, progress.reached);
    const freshness = { rows, asked: () => Promise.resolve(rows()), showed: () => undefined, shownUntil };
    await givenStream(store, 'contact-1', [named('one')]);
    const projecting = { _tag: 'Projecting', generation: 'g', role: 'live', checkpoint: 'start' } as const;
    watchProjections(makeManualClock(), metrics, store, {
      all: [
        {
          name: 'businesses',
          categories: ['business'],
          progress,
          freshness,
          wrongLog,
          status: () => ({ ...at, projector: projecting }),
        },
        {
          name: 'documents',
          categories: ['document'],
          progress,
          freshness,
          wrongLog,
          status: () => ({ ...at, projector: { _tag: 'Elsewhere' } }),
        },
        {
          name: 'contacts',
          categories: ['contact'],
          progress,
          freshness,
          wrongLog,
          status: () => ({ ...at, isUnwritten: true, projector: { _tag: 'StandingBy' } }),
        },
        {
          name: 'replaced',
          categories: ['business'],
          progress,
          freshness,
          wrongLog,
          status: () => ({ ...at, projector: { ...projecting, role: 'previous' } }),
        },
      ],
      parked: () => Promise.reject(new Error('the database is away')),
    });

    const { body } = await metrics.read();
    expect(linesOf(body, 'projection_lag_events{')).to.deep.equal([
      'projection_lag_events{read_model="businesses"} 2',
      'projection_lag_events{read_model="contacts"} 1',
    ]);
    expect(linesOf(body, 'projection_up{')).to.deep.equal([
      'projection_up{read_model="businesses"} 1',
      'projection_up{read_model="documents"} 0',
      'projection_up{read_model="contacts"} 0',
      'projection_up{read_model="replaced"} 0',
    ]);
    expect(linesOf(body, 'projection_parked_entities{')).to.deep.equal([]);
  });

  it('show what is free on each disk of this machine, and which warnings are given', async () => {
    const metrics = makeMetrics(makeManualClock());
    let free: number | undefined = 1_000;
    let isFull = false;
    watchDisks(metrics, { database: { free: () => free }, files: { free: () => undefined } });
    watchWarnings(metrics, { 'disk full: database': () => isFull, 'disk full: files': () => false });
    const lines = async () => {
      const { body } = await metrics.read();
      return [...linesOf(body, 'disk_free_bytes'), ...linesOf(body, 'readiness_warning')];
    };
    expect(await lines()).to.deep.equal([
      'disk_free_bytes{kept="database"} 1000',
      'readiness_warning{warning="disk full: database"} 0',
      'readiness_warning{warning="disk full: files"} 0',
    ]);
    [free, isFull] = [undefined, true];
    expect(await lines()).to.deep.equal([
      'readiness_warning{warning="disk full: database"} 1',
      'readiness_warning{warning="disk full: files"} 0',
    ]);
  });
});
