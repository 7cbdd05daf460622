addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((d) => { d.open = true; }));
