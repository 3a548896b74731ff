/** Where a cluster of YARN is read from. */
export interface YarnOptions {
  /** The address of its ResourceManager. */
  yarnUrl?: string;
  yarnUser?: string;
  /** Files and folders with saved answers. */
  yarnAnswers?: string[];
  /** What YARN has no key for. */
  yarnSettings?: string;
}

export const isYarnGiven = ({ yarnUrl, yarnAnswers }: YarnOptions): boolean =>
  yarnUrl !== undefined || yarnAnswers !== undefined;
