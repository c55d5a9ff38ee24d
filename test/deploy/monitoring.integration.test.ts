import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { eventually } from '../support/eventually.js';
import { anchorsIn } from '../support/markdown.js';
import { namesIn } from '../support/promql.js';
import { makeApi } from '../support/api.js';
import { type ServiceProcess, startService, tokenFor } from '../support/service-process.js';

const TOKEN = 'the-token-of-a-scraper/of+32.bytes==';
const JOB = 'business-document-service';

type Rule = {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook: string };
};

/** What Prometheus adds to every metric of a target, and the metric that it makes itself. */
const OF_PROMETHEUS = { metrics: ['up'], labels: ['job', 'instance'] };

/** Metrics that have counted nothing in a service in which nothing goes wrong. */
const NOT_YET = ['projection_task_faults_total', 'http_connections_cut_total', 'event_log_connection_events_total'];

/** The metrics of a scrape, by name as an expression names them: their labels, with every value of each. */
const metricsIn = (body: string): ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>> => {
  const metrics = new Map<string, Map<string, Set<string>>>();
  for (const [, name = '', kind] of body.matchAll(/^# TYPE (\w+) (\w+)$/gm))
    for (const part of kind === 'histogram' ? ['_bucket', '_sum', '_count'] : [''])
      metrics.set(`${name}${part}`, new Map());
  for (const [, name = '', braces = ''] of body.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm))
    for (const [, label = '', value = ''] of braces.matchAll(/(\w+)="([^"]*)"/g)) {
      const labels = metrics.get(name) ?? new Map<string, Set<string>>();
      labels.set(label, (labels.get(label) ?? new Set()).add(value));
    }
  return metrics;
};

/** Every expression in a file of Grafana, whatever panel it is in. */
const expressionsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]: [string, unknown]) =>
    key === 'expr' && typeof each === 'string' ? [each] : expressionsIn(each),
  );
};

const rules = async (): Promise<ReadonlyArray<Rule>> => {
  // reason: the file is ours, and the tests fail where it has another form
  const { groups } = parse(await readFile('deploy/prometheus/alerts.yml', 'utf8')) as {
    readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<Rule> }>;
  };
  return groups.flatMap((group) => group.rules);
};

const dashboard = async (): Promise<unknown> => JSON.parse(await readFile('deploy/grafana/dashboard.json', 'utf8'));

/** Not of the process and of Node, which every program has. */
const isOwn = (metric: string): boolean => !/^(process|nodejs)_/.test(metric);

describe('the monitoring of a service', function () {
  this.timeout(180_000);

  let directory: string;
  let service: ServiceProcess;
  let metrics: ReturnType<typeof metricsIn>;

  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'monitoring-'));
    const file = path.join(directory, 'token');
    await writeFile(file, `${TOKEN}\n`);
    service = await startService({ dataDir: path.join(directory, 'data'), env: { METRICS_TOKEN_FILE: file } });
    const api = makeApi(service.address, await tokenFor('editor', 'alice'));
    await api.json('POST', '/business', { name: 'Acme' });
    const expressions = [...(await rules()).map(({ expr }) => expr), ...expressionsIn(await dashboard())];
    // polls: some are there a moment after the service
    await eventually(
      async () => {
        const scraped = await fetch(`${service.address}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
        expect(scraped.status).to.equal(200);
        metrics = metricsIn(await scraped.text());
        return expressions.flatMap(faultsOf);
      },
      ({ length }) => length === 0,
    );
  });

  after(async () => {
    service.kill('SIGTERM');
    await service.exited;
    await rm(directory, { recursive: true });
  });

  /** Whether one of the metrics has the label. One that has counted nothing yet shows no label, and may have any. */
  const haveLabel = (reads: ReturnType<typeof namesIn>['reads'], label: string): boolean =>
    OF_PROMETHEUS.labels.includes(label) ||
    reads.some(({ metric }) => {
      const labels = metrics.get(metric);
      return labels?.has(label) === true || NOT_YET.includes(metric);
    });

  /** What is wrong with the names in an expression, as the service has them. */
  const faultsOf = (expression: string): ReadonlyArray<string> => {
    const { reads, grouping } = namesIn(expression);
    const own = reads.filter(({ metric }) => !OF_PROMETHEUS.metrics.includes(metric));
    return [
      ...(reads.length === 0 ? ['no metric at all'] : []),
      ...own.filter(({ metric }) => !metrics.has(metric)).map(({ metric }) => metric),
      ...grouping.filter((label) => !haveLabel(reads, label)),
      ...own.flatMap((read) =>
        read.matchers
          .filter(({ label, operator, value }) => {
            const values = metrics.get(read.metric)?.get(label);
            // the other operators are about values that there need not be yet
            return !haveLabel([read], label) || (operator === '=' && values !== undefined && !values.has(value));
          })
          .map(({ label, value }) => `${label} ${value}`),
      ),
    ];
  };

  it('alerts only about metrics, labels and values that the service has', async () => {
    const given = await rules();
    expect(given.length).to.be.greaterThan(15);
    for (const { alert, expr } of given) expect(faultsOf(expr), alert).to.deep.equal([]);
  });

  it('shows only metrics and labels that the service has', async () => {
    const expressions = expressionsIn(await dashboard());
    expect(expressions.length).to.be.greaterThan(30);
    for (const expression of expressions) expect(faultsOf(expression), expression).to.deep.equal([]);
  });

  it('is explained in docs/operations.md: every metric of the service itself', async () => {
    const page = await readFile('docs/operations.md', 'utf8');
    const own = [...metrics.keys()].map((name) => name.replace(/_(bucket|sum|count)$/, '')).filter(isOwn);
    expect(own.length).to.be.greaterThan(15);
    expect([...new Set(own)].filter((name) => !page.includes(`\`${name}\``))).to.deep.equal([]);
  });

  it('is about the job that the example scrapes', async () => {
    // reason: the file is ours, and the test fails where it has another form
    const { scrape_configs: jobs } = parse(await readFile('deploy/prometheus/prometheus.yml', 'utf8')) as {
      readonly scrape_configs: ReadonlyArray<{ readonly job_name: string }>;
    };
    expect(jobs.map(({ job_name: name }) => name)).to.deep.equal([JOB]);
    for (const { alert, expr } of await rules())
      for (const { metric, matchers } of namesIn(expr).reads)
        expect(matchers, `${alert}: ${metric}`).to.deep.include({ label: 'job', operator: '=', value: JOB });
  });

  it('foretells nothing from the few samples of a Prometheus that has just started', async () => {
    for (const { alert, expr } of await rules()) {
      const [, metric] = /predict_linear\((\w+)/.exec(expr) ?? [];
      if (metric !== undefined) expect(expr, alert).to.match(new RegExp(`and ${metric}\\{[^}]*\\} offset 1h$`));
    }
  });

  it('says of each alert how bad it is, and which page says what to do', async () => {
    for (const { alert, labels, annotations } of await rules()) {
      expect(labels.severity, alert).to.be.oneOf(['critical', 'warning', 'info']);
      expect(annotations.summary, alert).to.match(/^\S.*[^.]$/);
      const [page = '', anchor] = annotations.runbook.split('#');
      const anchors = anchorsIn(await readFile(page, 'utf8'));
      if (anchor !== undefined) expect(anchors, alert).to.include(anchor);
    }
  });

  it('names in its texts only labels that the alert has', async () => {
    for (const { alert, expr, annotations } of await rules()) {
      const { reads, grouping } = namesIn(expr);
      const isGrouped = /\bby \(/.test(expr);
      for (const [, label = ''] of JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g))
        expect(isGrouped ? grouping.includes(label) : haveLabel(reads, label), `${alert}: ${label}`).to.equal(true);
    }
  });
});
