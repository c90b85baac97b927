// When something is read again that may change at any moment: what comes together is read once, and whatever came during a read is read after it.

/** After something happened, so long until it is read again, in ms. */
const LATER_MS = 150;
/** What takes long is read so many times its own time later, so that reading never is all that goes on. */
const REST = 4;

/** Paces `read`, which gives a promise: { now, later, stop }. */
export function pacer(read) {
  let timer = null, took = 0, isReading = false, isDue = false, isOver = false;
  const now = async () => {
    clearTimeout(timer);
    timer = null;
    if (isReading) {
      isDue = true;
      return;
    }
    isReading = true;
    const begun = performance.now();
    await read();
    took = performance.now() - begun;
    isReading = false;
    if (isDue) later();
    isDue = false;
  };
  const later = () => {
    if (!isOver) timer ??= setTimeout(now, Math.max(LATER_MS, took * REST));
  };
  const stop = () => {
    isOver = true;
    clearTimeout(timer);
  };
  return { now, later, stop };
}
