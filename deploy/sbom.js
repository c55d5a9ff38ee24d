// Reads npm's list of all installed packages and writes those that the service needs, as the lock file tells them.
// `npm sbom --omit dev` leaves out whatever a tool needs, also where the service needs it as well (npm 11.19).
import { readFileSync } from 'node:fs';

const parse = (file) => JSON.parse(readFileSync(file, 'utf8'));

const { name: project, packages } = parse('package-lock.json');
const needed = new Set(
  Object.entries(packages)
    .filter(([, { dev }]) => dev !== true)
    .map(([where, { version }]) => `${where.split('node_modules/').at(-1)}@${version}`),
);

const STANDARD_INPUT = 0;
const { metadata, components, dependencies, ...bom } = parse(STANDARD_INPUT);

const development = 'cdx:npm:package:development';
const kept = components
  .filter(({ name, version }) => needed.has(`${name}@${version}`))
  // said of a package of which a tool has a copy of its own
  .map((each) => ({ ...each, properties: each.properties.filter(({ name }) => name !== development) }));

const references = new Set([metadata.component, ...kept].map((component) => component['bom-ref']));
const isKept = (reference) => references.has(reference);
const uses = dependencies
  .filter(({ ref }) => isKept(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isKept) }));

// npm calls the root after the folder that it lies in
const root = { ...metadata, component: { ...metadata.component, name: project } };

process.stdout.write(`${JSON.stringify({ ...bom, metadata: root, components: kept, dependencies: uses }, null, 2)}\n`);
