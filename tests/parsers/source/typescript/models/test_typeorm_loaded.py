"""TypeORM: which relations and columns are sent of the entities that queries give."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project

ENTITIES = """
    import { Entity, Column, ManyToOne, OneToMany, PrimaryGeneratedColumn } from 'typeorm';
    @Entity() export class User {
      @PrimaryGeneratedColumn() id: number;
      @Column({ select: false }) password: string;
      @OneToMany(() => Post, (post) => post.author) posts: Post[];
    }
    @Entity() export class Post {
      @PrimaryGeneratedColumn() id: number;
      @Column() title: string;
      @ManyToOne(() => User) author: User;
      @OneToMany(() => Tag, (tag) => tag.post, { eager: true }) tags: Tag[];
    }
    @Entity() export class Tag {
      @PrimaryGeneratedColumn() id: number;
      @ManyToOne(() => Post) post: Post;
    }
    @Entity() export class Filled {
      @PrimaryGeneratedColumn() id: number;
      @ManyToOne(() => User) owner: User;
      fill(user: User) { this.owner = user }
    }
"""
USER, TAGS = "{id: numeric}", "[{id: numeric}]"
POST = "{id: numeric, title: string, tags: [{id: numeric}]}"
DOUBT = (
    "{id: numeric, title: string, author~: {id: numeric, password~: string, posts~: [Post]}, "
    "tags: [{id: numeric, post~: Post}]}"
)


def _sent(tmp_path: Path, **bodies: str) -> dict[str, str]:
    """Name -> what a method of a service with that body sends."""
    methods = "\n".join(
        f"async {name}(id: number, given: any) {{ {b} }}" for name, b in bodies.items()
    )
    routes = "\n".join(
        f"@Get('{name}') {name}(@Query() query) {{ return this.service.{name}(1, query) }}"
        for name in bodies
    )
    project = Project(
        tmp_path,
        {
            "entities.ts": ENTITIES,
            "app.ts": f"""
                import {{ Controller, Get, Query }} from '@nestjs/common';
                import {{ Repository, getRepository }} from 'typeorm';
                import {{ Filled, Post, Tag, User }} from './entities';
                function withAuthor(post: Post) {{ post.author = new User() }}
                function shown(post: Post) {{ return post.title }}
                class Service {{
                  constructor(
                    private readonly posts: Repository<Post>,
                    private readonly users: Repository<User>,
                    private readonly filled: Repository<Filled>,
                  ) {{}}
                  {methods}
                }}
                @Controller()
                export class Posts {{
                  constructor(private readonly service: Service) {{}}
                  {routes}
                }}
            """,
        },
    )
    return {name: project.responses(f"GET /{name}")["200*"] for name in bodies}


def test_find_loads_its_relations_and_eager_ones(tmp_path: Path) -> None:
    deep = (
        "{id: numeric, title: string, author: {id: numeric, posts: [Post]}, tags: [{id: numeric}]}"
    )
    assert _sent(
        tmp_path,
        plain="return this.posts.findOneOrFail({ where: { id } });",
        by_id="return this.posts.findOneByOrFail({ id });",
        named="return this.posts.find({ relations: ['author', 'author.posts'] });",
        nested="return this.posts.find({ relations: { author: { posts: true }, tags: false } });",
        computed="return this.posts.findOneOrFail({ relations: given.relations });",
        undetermined="return this.posts.findOneOrFail(given);",
        chosen="return this.users.findOneOrFail({ select: ['id', 'password'] });",
        chosen_somehow="return this.users.findOneOrFail({ select: given.columns });",
        part="const post = await this.posts.findOneOrFail({ where: { id } }); return post.tags;",
        counted="const [items, n] = await this.posts.findAndCount(); return { items, n };",
    ) == {
        "plain": POST,
        "by_id": POST,
        "named": f"[{deep}]",
        "nested": f"[{deep}]",
        "computed": DOUBT,
        "undetermined": DOUBT,
        "chosen": "{id: numeric, password: string}",
        "chosen_somehow": "unknown",
        "part": TAGS,
        "counted": f"{{items: [{POST}], n: integer}}",
    }


def test_query_builders_load_what_they_join_and_select(tmp_path: Path) -> None:
    start = "const query = getRepository(Post).createQueryBuilder('post');"
    plain = "{id: numeric, title: string}"
    joined = f"{{id: numeric, title: string, author: {USER}}}"
    assert _sent(
        tmp_path,
        plain=f"{start} return query.where('1').getOneOrFail();",
        joined=f"{start} return query.leftJoinAndSelect('post.author', 'a').getOneOrFail();",
        deeper=f"""{start} query.leftJoinAndSelect('post.author', 'a');
            query.leftJoinAndSelect('a.posts', 'p'); return query.getOneOrFail();""",
        sometimes=f"""{start} if (given.x) {{ query.leftJoinAndSelect('post.author', 'a') }}
            return query.getOneOrFail();""",
        handed_on=f"{start} extend(query); return query.getOneOrFail();",
        more=f"{start} return query.addSelect('post.secret').getOneOrFail();",
        filtered=f"{start} return query.leftJoin('post.author', 'a').getOneOrFail();",
    ) == {
        "plain": plain,
        "joined": joined,
        "deeper": "{id: numeric, title: string, author: {id: numeric, posts: [Post]}}",
        "sometimes": DOUBT,
        "handed_on": DOUBT,
        "more": DOUBT,
        "filtered": DOUBT,
    }


def test_save_gives_what_it_is_given(tmp_path: Path) -> None:
    load = "const post = await this.posts.findOneOrFail({ where: { id } });"
    assert _sent(
        tmp_path,
        loaded=f"{load} post.title = 'x'; return this.posts.save(post);",
        made="""const post = new Post(); post.title = 'x'; post.author = given;
            return this.posts.save(post);""",
        deleted=f"{load} delete post.title; return this.posts.save(post);",
        over=f"{load} return this.posts.save(Object.assign(post, {{ title: 'x' }}));",
        over_undetermined=f"{load} return this.posts.save(Object.assign(post, given));",
        handed="return this.posts.save(given);",
    ) == {
        "loaded": f"{{id: numeric, title: 'x', tags: {TAGS}}}",
        "made": "{id: numeric, title: string, "
        "author: {id: numeric, password~: string, posts~: [Post]}}",
        "deleted": f"{{id: numeric, tags: {TAGS}}}",
        "over": f"{{id: numeric, title: 'x', tags: {TAGS}}}",
        "over_undetermined": DOUBT,
        "handed": DOUBT,
    }


def test_what_code_puts_into_an_entity_is_sent_too(tmp_path: Path) -> None:
    load = "const post = await this.posts.findOneOrFail({ where: { id } });"
    with_author = (
        "{id: numeric, title: string, author: {id: numeric, password~: string, posts~: [Post]}, "
        f"tags: {TAGS}}}"
    )
    assert _sent(
        tmp_path,
        assigned=f"{load} post.author = given; return post;",
        sometimes=f"{load} if (given.x) {{ post.author = given }} return post;",
        filled=f"{load} withAuthor(post); return post;",
        shown=f"{load} shown(post); return post;",
        merged=f"{load} this.posts.merge(post, given); return post;",
        by_method="return this.filled.findOneOrFail({ where: { id } });",
    ) == {
        "assigned": with_author,
        "sometimes": with_author.replace("author:", "author~:"),
        "filled": DOUBT,
        "shown": POST,
        "merged": DOUBT,
        "by_method": "{id: numeric, owner~: {id: numeric, password~: string, posts~: "
        "[{id: numeric, title: string, author~: User, tags: [{id: numeric, post~: Post}]}]}}",
    }


def test_declared_types_leave_open_what_queries_tell(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "entities.ts": ENTITIES,
            "app.ts": """
                import { Controller, Get } from '@nestjs/common';
                import { Repository } from 'typeorm';
                import { Post } from './entities';
                interface One { post: Post }
                interface Many { posts: Post[] }
                @Controller()
                export class Posts {
                  constructor(private readonly posts: Repository<Post>) {}
                  @Get('one') async one(): Promise<Post> { return this.posts.findOne({}) }
                  @Get('many') async many(): Promise<Post[]> { return this.posts.find() }
                  @Get('inside') async inside(): Promise<One> {
                    let post = await this.posts.findOne({});
                    if (post.title) { post = await this.posts.save(post) }
                    return { post };
                  }
                  @Get('either') async either(): Promise<Many> {
                    const posts = await this.posts.find();
                    if (posts.length > 100) return { posts: [] };
                    return { posts };
                  }
                }
            """,
        },
    )
    assert {route: project.responses(route)["200*"] for route in project.routes()} == {
        "GET /either": f"({{posts: [nothing]}} | {{posts: [{POST}]}})",
        "GET /one": POST,
        "GET /many": f"[{POST}]",
        "GET /inside": f"{{post: {POST}}}",
    }
