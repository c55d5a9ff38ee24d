import { either as E, json as J } from 'fp-ts';
import { pipe } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';

/** Folders of segments. */
export type SegmentFolder = 'log' | 'checkpoints';

/** A change of the format that an older program would misread is another number. */
const FORMAT = 1;

/** A text of this form, so that nothing else of a manifest that was changed is used as a number or a path. */
const matching = (form: RegExp, name: string) => t.refinement(t.string, (text) => form.test(text), name);

const Digits = matching(/^\d+$/, 'digits');

/** A file of lines, compressed: of its bytes as they are on disk. */
const segmentFile = (folder: SegmentFolder) => ({
  name: matching(new RegExp(`^${folder}/\\d{8}\\.ndjson\\.gz$`), `a segment of ${folder}`),
  sha256: t.string,
  bytes: t.number,
});

/** An event by which a log is recognized: where it stands, and what it is. */
const LastEvent = t.readonly(
  t.strict({
    position: Digits,
    stream: t.string,
    revision: Digits,
    id: t.string,
    hash: t.union([t.string, t.null]),
  }),
);
export type LastEvent = t.TypeOf<typeof LastEvent>;

const LogSegment = t.readonly(t.strict({ ...segmentFile('log'), events: t.number, last: LastEvent }));
export type LogSegment = t.TypeOf<typeof LogSegment>;
/** A file of lines, and what its compressed bytes are. */
export type SegmentFile = Pick<LogSegment, 'name' | 'sha256' | 'bytes'>;

const CheckpointSegment = t.readonly(t.strict({ ...segmentFile('checkpoints'), checkpoints: t.number }));

/** Why a file that an event names is not in the backup: the storage did not have it, or something else under its key. */
const Lacking = t.readonly(
  t.strict({
    kind: t.keyof({ missing: null, different: null, undecodable: null }),
    stream: t.string,
    revision: Digits,
    key: t.union([t.string, t.null]),
    reason: t.string,
  }),
);
export type Lacking = t.TypeOf<typeof Lacking>;

const SecretFile = t.readonly(t.strict({ name: matching(/^[a-z-]+$/, 'the name of a secret'), sha256: t.string }));
export type SecretFile = t.TypeOf<typeof SecretFile>;

/** A key that was replaced, with its last checkpoint; of programs that knew of none, nothing. */
const EarlierKey = t.readonly(t.strict({ key: t.string, size: t.number, root: t.string }));

const Seal = t.readonly(
  t.exact(
    t.intersection([t.type({ origin: t.string, key: t.string }), t.partial({ earlier: t.readonlyArray(EarlierKey) })]),
  ),
);

const Manifest = t.readonly(
  t.strict({
    format: t.literal(FORMAT),
    /** Version of the program that wrote it, and when (RFC 3339). */
    program: t.string,
    at: t.string,
    /** The name of the log. */
    log: t.string,
    /** False while a backup is being made, and after one that was interrupted: it holds less than that was to. */
    isComplete: t.boolean,
    events: t.number,
    /** How many of them are in the tree that is signed. */
    sealed: t.number,
    /** Files that are in the backup, and bytes of all of them. */
    files: t.number,
    fileBytes: t.number,
    /** What checkpoints were signed as, and the keys to verify them with; null where nothing was signed. */
    seal: t.union([Seal, t.null]),
    segments: t.readonlyArray(LogSegment),
    /** The checkpoints that were in Postgres, and the largest one of each origin. */
    checkpoints: t.readonly(
      t.strict({ segments: t.readonlyArray(CheckpointSegment), largest: t.record(t.string, t.number) }),
    ),
    /** The secrets that are in the backup, each with the SHA-256 of its file. */
    secrets: t.readonlyArray(SecretFile),
    lacking: t.readonlyArray(Lacking),
  }),
);
export type Manifest = t.TypeOf<typeof Manifest>;

/** The event that names the file, which is the same in every copy of its log. */
export const eventOf = ({ stream, revision }: Pick<Lacking, 'stream' | 'revision'>): string => `${stream} ${revision}`;

export const renderManifest = (manifest: Manifest): string => `${JSON.stringify(manifest, undefined, 2)}\n`;

const formatOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'format' in value ? value.format : undefined;

/** Left: why this is no manifest that this program can read. */
export const parseManifest = (text: string): E.Either<string, Manifest> =>
  pipe(
    J.parse(text),
    E.mapLeft(() => 'it is not JSON'),
    E.chain((value) =>
      E.mapLeft(() => {
        const format = formatOf(value);
        return typeof format === 'number' && format > FORMAT
          ? `it has format ${format}, and this program knows ${FORMAT}`
          : 'it is not a manifest of a backup';
      })(Manifest.decode(value)),
    ),
  );

export const emptyManifest = (head: Pick<Manifest, 'program' | 'at' | 'log' | 'seal'>): Manifest => ({
  format: FORMAT,
  ...head,
  isComplete: false,
  events: 0,
  sealed: 0,
  files: 0,
  fileBytes: 0,
  segments: [],
  checkpoints: { segments: [], largest: {} },
  secrets: [],
  lacking: [],
});
