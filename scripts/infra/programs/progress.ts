/** A bar for what is being downloaded, on a terminal only; elsewhere nothing, for a log file has no use for it. */
export interface DownloadBar {
  add(bytes: number): void;
  stop(): void;
}

const megabyte = 1_000_000;

export async function startDownloadBar(
  totalBytes: number,
  stream: NodeJS.WriteStream = process.stderr,
): Promise<DownloadBar> {
  if (!stream.isTTY) return { add: () => {}, stop: () => {} };
  const { default: cliProgress } = await import('cli-progress');
  const bar = new cliProgress.SingleBar({
    format: '{bar} {percentage}% of {total} MB',
    formatValue: (value, _, type) =>
      type === 'total' ? String(Math.round(value / megabyte)) : String(value),
    stream,
    clearOnComplete: true,
    hideCursor: true,
    fps: 5,
  });
  let bytes = 0;
  bar.start(totalBytes, 0);
  return {
    add: (count) => {
      bytes += count;
      bar.update(Math.min(bytes, totalBytes));
    },
    stop: () => bar.stop(),
  };
}
