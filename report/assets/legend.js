'use strict';

/** What the colours and signs of the lanes mean. */
const Legend = {
  /** `items` are [kind, text]; kinds are those of bars and events, and idle, start-up, open. */
  show(items) {
    document.getElementById('legend').replaceChildren(...items.map(([kind, text]) => {
      const item = element('li');
      item.append(Legend.swatch(kind), text);
      return item;
    }));
  },

  swatch(kind) {
    const canvas = element('canvas');
    canvas.width = 36;
    canvas.height = 24;
    const c = canvas.getContext('2d');
    const hatched = {'copy': 'card', 'start-up': 'soft', 'master': 'master', 'open': 'planned'}[kind];
    const signed = {move: 'ink', lost: 'lost', joined: 'joined'}[kind];
    c.fillStyle = themeColour(signed || (['start-up', 'master', 'open'].includes(kind) ? 'idle' : kind));
    if (signed) {
      c.fillRect(16, 0, 4, 24);
      c.arc(18, kind === 'move' ? 18 : 12, kind === 'move' ? 6 : 10, 0, 2 * Math.PI);
      c.fill();
    } else {
      c.fillRect(0, 0, 36, 24);
    }
    if (hatched) {
      c.strokeStyle = themeColour(hatched);
      c.lineWidth = 2;
      for (let x = -24; x < 36; x += 9) {
        c.moveTo(x, 24);
        c.lineTo(x + 24, 0);
      }
      c.stroke();
    }
    return canvas;
  },
};
