import { parentPort, workerData } from 'node:worker_threads';

/*
 * The program that plans previews, as long as a test lets it: it counts in shared memory how many plans are begun, and how many are
 * under way at most, and waits before each of them until as many are released. workerData: `{ program, gate }`.
 */
const gate = new Int32Array(workerData.gate);
const [begun, underWay, most, release] = [0, 1, 2, 3];

const on = parentPort.on.bind(parentPort);
parentPort.on = (name, listener) =>
  on(name, (question) => {
    const number = Atomics.add(gate, begun, 1) + 1;
    const together = Atomics.add(gate, underWay, 1) + 1;
    if (together > Atomics.load(gate, most)) Atomics.store(gate, most, together);
    for (let free = Atomics.load(gate, release); free < number; free = Atomics.load(gate, release)) {
      Atomics.wait(gate, release, free);
    }
    listener(question);
    Atomics.sub(gate, underWay, 1);
  });
await import(workerData.program);
