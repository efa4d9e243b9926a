/* The bar: suggestions while typing; what is chosen goes to the page's script as a trigger. */
const WAIT_MS = 120;

export default function (component) {
  const { parentElement, setTriggerValue } = component;
  const input = parentElement.querySelector("#bar-input");
  const list = parentElement.querySelector("#bar-list");
  let options = [];
  let chosen = -1;
  let timer = null;
  let request = null;

  function close() {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
    chosen = -1;
  }

  function mark(place) {
    chosen = place;
    [...list.children].forEach((item, number) => {
      item.setAttribute("aria-selected", String(number === place));
      if (number === place) item.scrollIntoView({ block: "nearest" });
    });
    if (place < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", `bar-option-${place}`);
  }

  function part(name, text) {
    const span = document.createElement("span");
    span.className = name;
    span.textContent = text;
    return span;
  }

  function show(found) {
    const text = input.value.trim();
    options = [...found, { kind: "ask", id: text, name: text, said: "" }];
    list.replaceChildren(
      ...options.map((option, place) => {
        const item = document.createElement("li");
        item.id = `bar-option-${place}`;
        item.setAttribute("role", "option");
        item.setAttribute("aria-selected", "false");
        const isAsk = option.kind === "ask";
        item.append(
          part("name", isAsk ? `Ask “${option.name}”` : option.name),
          part("said", option.said),
          part("kind", isAsk ? "question" : option.kind),
        );
        item.addEventListener("pointerdown", (event) => {
          event.preventDefault();
          go(option);
        });
        return item;
      }),
    );
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    mark(-1);
  }

  function go(option) {
    close();
    input.value = "";
    input.blur();
    setTriggerValue("go", { kind: option.kind, id: option.id, said: option.said });
  }

  async function look() {
    const text = input.value.trim();
    request?.abort();
    if (text.length < 2) {
      close();
      return;
    }
    request = new AbortController();
    try {
      const answer = await fetch(`/suggest?q=${encodeURIComponent(text)}`, {
        signal: request.signal,
      });
      const body = await answer.json();
      if (input.value.trim() === text) show(body.suggestions ?? []);
    } catch (failure) {
      if (failure.name !== "AbortError") show([]);
    }
  }

  input.oninput = () => {
    clearTimeout(timer);
    timer = setTimeout(look, WAIT_MS);
  };
  input.onblur = () => close();
  input.onkeydown = (event) => {
    const count = list.hidden ? 0 : options.length;
    if (event.key === "ArrowDown" && count) {
      event.preventDefault();
      mark((chosen + 1) % count);
    } else if (event.key === "ArrowUp" && count) {
      event.preventDefault();
      mark((chosen - 1 + count) % count);
    } else if (event.key === "Escape") {
      close();
    } else if (event.key === "Enter" && input.value.trim()) {
      event.preventDefault();
      const text = input.value.trim();
      const exact = options.find(
        (one) =>
          one.kind !== "ask" &&
          [one.name, one.said].some((name) => name.toLowerCase() === text.toLowerCase()),
      );
      const isFresh = options.at(-1)?.id === text;
      const first = isFresh ? exact : undefined;
      go(chosen >= 0 ? options[chosen] : (first ?? { kind: "find", id: text, said: "" }));
    }
  };

  function focus(event) {
    const target = event.composedPath()[0];
    const isTyping = target.matches?.("input, textarea, select, [contenteditable=true]");
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      input.focus();
    }
  }
  document.addEventListener("keydown", focus);
  return () => {
    document.removeEventListener("keydown", focus);
    clearTimeout(timer);
    request?.abort();
  };
}
