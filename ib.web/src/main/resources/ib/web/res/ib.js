"use strict";
// Shows what the server draws, and sends orders: every element with data-show selects, every one with data-act orders.
(() => {
  const page = document.getElementById("ib");
  const live = document.getElementById("ib-live");
  const said = document.getElementById("ib-said");
  const at = page.dataset.at;
  let source = null;

  const query = () => location.search;

  // An element that is replaced between press and release gets no click, so a drawing waits for the release.
  let pressed = false;
  let drawn = "";
  let next = "";

  // the server escapes every text that it draws
  const draw = (text) => {
    next = text;
    if (!pressed && next !== drawn) {
      live.innerHTML = next;
      drawn = next;
    }
  };

  const release = () => {
    // the click comes after the release
    setTimeout(() => {
      pressed = false;
      if (next) {
        draw(next);
      }
    });
  };

  const say = (text, refused) => {
    said.textContent = text;
    said.className = refused ? "refused" : "";
  };

  const follow = () => {
    if (source) {
      source.close();
    }
    source = new EventSource(at + "/live.stream" + query());
    source.onmessage = (event) => draw(event.data);
  };

  const refresh = async () => {
    const answer = await fetch(at + "/live.part" + query());
    if (answer.ok) {
      draw(await answer.text());
    }
  };

  const order = async (parameters) => {
    say("…", false);
    try {
      const answer = await fetch(at, {
        method: "POST",
        body: new URLSearchParams(parameters),
      });
      say(await answer.text(), !answer.ok);
      await refresh();
    } catch (failure) {
      say("The runtime does not answer: " + failure.message, true);
    }
  };

  const show = (what) => {
    history.replaceState(null, "", "?" + new URLSearchParams({ show: what }));
    follow();
    refresh();
  };

  page.addEventListener("pointerdown", () => {
    pressed = true;
  });
  window.addEventListener("pointerup", release);
  window.addEventListener("pointercancel", release);

  page.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-act]");
    const shown = event.target.closest("[data-show]");
    if (button) {
      const { act, ...rest } = button.dataset;
      order({ act, ...rest });
    } else if (shown) {
      show(shown.dataset.show);
    }
  });

  page.addEventListener("submit", (event) => {
    event.preventDefault();
    const form = event.target;
    order({ act: form.dataset.act, ...Object.fromEntries(new FormData(form)) });
  });

  window.addEventListener("pagehide", () => source && source.close());
  follow();
})();
