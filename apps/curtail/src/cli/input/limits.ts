/** Largest inputs of commands. */
export const inputLimits = {
  /** A file read whole: the longest string. */
  fileBytes: 500 * 1024 * 1024,
  /** A configuration; the reader itself refuses more than 32 MiB, with a message. */
  configurationBytes: 40 * 1024 * 1024,
  /** One line of a batch. */
  lineBytes: 64 * 1024 * 1024,
  /** Levels of a JSON text that are searched for positions of faults. */
  jsonLevels: 1000,
  /** An answer of a server; a plan with a hundred thousand victims has some 40 MB. */
  answerBytes: 256 * 1024 * 1024,
} as const;
