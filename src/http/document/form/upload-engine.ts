import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type multer from '@koa/multer';
import { either as E } from 'fp-ts';
import type { StorageUnavailable } from '../../../application/ports.js';
import type { Stored } from '../../../application/document/store-upload.js';
import type { StoreUpload } from '../../../application/document/with-upload.js';
import { requestInvalid, type RequestInvalid } from '../../problem/failure.js';
import { isReplaced, NAMELESS } from './form-text.js';
import { originalNameOf } from './original-name.js';

const UNREADABLE = requestInvalid({ path: '', message: 'has a part whose headers cannot be read' });

/** The file has a name that is none, or not in UTF-8. */
export class UnusableFileName extends Error {}

/**
 * Takes the file part of one form while it arrives. multer hands it the part's stream; what became of it is asked of
 * `outcome`, since multer may give up on a form before its file has settled.
 */
export class UploadEngine implements multer.StorageEngine {
  readonly #store: StoreUpload;
  #stream: Readable | undefined;
  #isOver = false;
  #outcome: Promise<Stored | undefined> = Promise.resolve(undefined);
  #hasNamelessContent = false;
  #read = 0;
  #refuse: (failure: StorageUnavailable) => void = () => undefined;
  /** Resolves as soon as the storage refuses the file: the rest of the form is then not worth waiting for. */
  readonly refused = new Promise<StorageUnavailable>((resolve) => (this.#refuse = resolve));

  constructor(store: StoreUpload) {
    this.#store = store;
  }

  _handleFile(_request: IncomingMessage, file: multer.File, callback: (error?: Error | null) => void): void {
    // reason: multer adds the part's stream to the file while an engine handles it; the types leave it out
    const { stream } = file as unknown as { readonly stream: Readable };
    if (this.#isOver) {
      stream.resume();
      callback(new Error('the form was given up'));
      return;
    }
    const originalName = isReplaced(file.originalname) ? undefined : originalNameOf(file.originalname);
    if (originalName === undefined) {
      stream.resume();
      callback(new UnusableFileName());
      return;
    }
    this.#stream = stream;
    // The parser would end the stream at the limit as if the file ended there.
    stream.once('limit', () => this.abort());
    const declaredType = file.mimetype.length <= 255 ? file.mimetype : undefined;
    this.#outcome = this.#store({ body: stream, originalName, declaredType });
    void this.#outcome.then((stored) => {
      if (stored !== undefined && E.isLeft(stored)) {
        if (stored.left._tag === 'StorageUnavailable') this.#refuse(stored.left);
        callback(new Error('the file was not stored'));
      } else callback(null);
    });
  }

  /** Nothing to do: `withUpload` removes the file when the form fails. */
  _removeFile(_request: IncomingMessage, _file: multer.File, callback: (error: Error) => void): void {
    // reason: multer takes null for "no error", its types do not
    callback(null as unknown as Error);
  }

  /** To be called with each file part: of one without a file name multer drops the content without a word. */
  noteFile(name: string, content: Readable, fileName: string | undefined): void {
    this.#read += 1;
    if (name !== 'file' || (fileName !== undefined && fileName !== '')) return;
    content.once('data', () => {
      this.#hasNamelessContent = true;
    });
  }

  noteField(): void {
    this.#read += 1;
  }

  /** What is wrong with a form of so many parts where the parser found nothing wrong; undefined when nothing is. */
  fault(parts: number): RequestInvalid | undefined {
    if (this.#hasNamelessContent) return NAMELESS;
    return this.#read < parts ? UNREADABLE : undefined;
  }

  /** Breaks the file off, so that nothing of it is stored, and takes no other. */
  abort(): void {
    this.#isOver = true;
    this.#stream?.destroy(new Error('the file was broken off'));
  }

  /** What became of the file, when that is settled; undefined when there was none. */
  outcome(): Promise<Stored | undefined> {
    return this.#outcome;
  }
}
