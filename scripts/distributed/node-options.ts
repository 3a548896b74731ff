/**
 * The options of the processes of services, as in the image (Dockerfile), `npm start` and the benchmarks: room for more young objects than usual, since most
 * of what is made for an event is gone with it, and is not copied if it need not be collected before.
 */
export const nodeOptions = ['--max-semi-space-size=32'];
