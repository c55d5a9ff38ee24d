import { type Draft, type Mutation, without } from '../draft.js';
import { error, invalid } from '../expectation.js';
import type { Operation } from '../operations.js';
import { fileBody } from '../valid-draft.js';
import { TOO_LARGE } from './form.js';

const takesFile = ({ isOfFile }: Operation): boolean => isOfFile;

const HEADER = 'Content-Disposition';

const called = (draft: Draft, disposition: string): void => {
  draft.query = without(draft.query, 'originalName');
  draft.headers = [...draft.headers, [HEADER, disposition]];
};

const DISPOSITIONS = [
  ...[
    'attachment; filename=report.pdf',
    'attachment; filename="../../etc/passwd"',
    'x;FILENAME=a b;',
    'a;filename="\\""',
  ],
  ...["attachment; filename*=UTF-8''%e2%82%ac", `attachment; filename="${'x'.repeat(3000)}"`],
];

// what is no UTF-8 is tried in test/http/put-file.test.ts: Node's client refuses to send it beside a Content-Length
const UNREADABLE = [
  ...[
    '',
    ';',
    'attachment filename=report',
    'filename=report.pdf',
    'a; filename',
    'a; filename="report',
    'a;filename=".."',
  ],
  ...['a; filename=report; filename=report', "a; filename=report; filename*=UTF-8''%ff", "a; filename*=koi8-r''report"],
  ...['a; filename=""', "a; filename*=UTF-8''", 'a; filename="report/"'],
];

const TYPES = [
  'text/html',
  'x',
  '',
  'multipart/form-data',
  'application/json',
  `a/${'x'.repeat(300)}`,
  'a/b, c/d',
  '/',
];

/** Bodies that are a file. */
export const file: ReadonlyArray<Mutation> = [
  {
    name: 'with a file of any type',
    suits: takesFile,
    apply: (draft, { random }) => {
      if (draft.body._tag === 'Raw') draft.body = { ...draft.body, type: random.pick([...TYPES, undefined]) };
      draft.isChunked = random.chance(0.3);
    },
  },
  {
    name: 'with a file that a header names',
    suits: takesFile,
    apply: (draft, { random }) => called(draft, random.pick(DISPOSITIONS)),
  },
  {
    name: 'with a file whose header cannot be read',
    suits: takesFile,
    apply: (draft, { random }) => {
      called(draft, random.pick(UNREADABLE));
      draft.expects = invalid(HEADER);
    },
  },
  {
    name: 'with a file that nothing names, or two names',
    suits: takesFile,
    apply: (draft, { random }) => {
      if (random.chance(0.5)) draft.headers = [...draft.headers, [HEADER, 'attachment; filename=another']];
      else called(draft, 'attachment');
      draft.expects = invalid('originalName');
    },
  },
  {
    name: 'with a file that is too large, by itself',
    suits: takesFile,
    apply: (draft, { random }) => {
      draft.body = fileBody(Buffer.alloc(TOO_LARGE, 'x'));
      draft.isChunked = random.chance(0.3);
      draft.expects = error(413, 'Payload Too Large');
    },
  },
  {
    name: 'with a compressed file',
    suits: takesFile,
    apply: (draft) => {
      draft.headers = [...draft.headers, ['Content-Encoding', 'gzip']];
      draft.expects = error(415, 'Unsupported Media Type');
    },
  },
];
