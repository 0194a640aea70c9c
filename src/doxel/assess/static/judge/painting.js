/** What is painted over the text: the passages, and where reading should start. */

/**
 * Keep the painting in step with the state.
 * @param {import('./desk.js').Desk} desk
 */
export function paintMarks(desk) {
  const draw = () => {
    const { highlights, bep } = desk.state;
    desk.reading.painter.set('judged', highlights);
    desk.reading.painter.setPoint('bep', bep);
  };
  desk.addEventListener('opened', draw);
  desk.addEventListener('change', draw);
}
