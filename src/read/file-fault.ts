/** Each kind of file that is not as its event says. */
export const FILE_FAULTS = ['missing', 'different'] as const;

/** A file that an event names, and that was asked for, is not there, or is another one. */
export type FileFault = {
  readonly kind: (typeof FILE_FAULTS)[number];
  readonly documentId: string;
  readonly key: string;
  /** What differs, in words; never content. */
  readonly reason: string;
};

export type OnFileFault = (fault: FileFault) => void;
